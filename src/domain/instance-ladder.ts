import type { InstancePhase } from '../api/instance.ts';
import type { Rung } from './climb.ts';
import type { InstanceFacts } from './facts.ts';
import { instanceRegistered, registryIsCurrent, rightsSuffice, sameServer, serverAnswers } from './instance-checks.ts';
import type { InstanceStep } from './steps.ts';

/** The state machine of an Instance, in the same form as that of a Tenant. */
export const instanceLadder: readonly Rung<InstancePhase, InstanceFacts, InstanceStep>[] = [
  { phase: 'Connected',     checks: [serverAnswers, sameServer] },            // the primary itself, under the name that consumers verify
  { phase: 'RegistryReady', checks: [rightsSuffice, registryIsCurrent] },     // the registry is there, in a version that we can use
  { phase: 'Ready',         checks: [instanceRegistered] },                   // and it knows this Instance
];
