import { keyOf } from './config-objects.ts';
import { fieldOf, type Pod } from './pod.ts';
import type { Container } from './pod-template.ts';

type Variable = Container['env'][number];

/** The container's variables, in order, over those of the image. @throws NotThereYet for a missing Secret or ConfigMap */
export async function environmentOf(
  pod: Pod,
  image: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const env = { ...image };
  const declared: Record<string, string> = {};
  for (const variable of pod.template.spec.containers[0].env) {
    const value = await valueOf(pod, variable, declared);
    if (value === undefined) continue;
    env[variable.name] = value;
    declared[variable.name] = value;
  }
  return env;
}

async function valueOf(
  pod: Pod,
  { value, valueFrom }: Variable,
  declared: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  if (valueFrom === undefined) return expand(value ?? '', declared);
  const { fieldRef, secretKeyRef, configMapKeyRef } = valueFrom;
  if (fieldRef !== undefined) return fieldOf(pod, fieldRef.fieldPath);
  if (secretKeyRef !== undefined) return keyOf(pod, 'Secret', secretKeyRef);
  if (configMapKeyRef !== undefined) return keyOf(pod, 'ConfigMap', configMapKeyRef);
  return undefined;
}

/** `$(NAME)` of a variable before this one; `$$` is a dollar sign; a name that is not known stays as it is written. */
export const expand = (text: string, declared: Readonly<Record<string, string>>): string =>
  text.replace(/\$\$|\$\(([^)]+)\)/g, (found, name: string | undefined) =>
    name === undefined ? '$' : (declared[name] ?? found),
  );
