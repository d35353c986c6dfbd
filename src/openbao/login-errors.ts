import { Trouble } from '../errors.ts';
import type { Answer } from '../http-client/answer.ts';
import { says, troubleOf } from './errors.ts';

interface Login {
  readonly role: string;
  readonly mount: string;
}

/** What OpenBao's answer to a login with a service account means, when it is not a token. */
export const loginTroubleOf = (answer: Answer, { role, mount }: Login): Trouble => {
  const doing = `cannot log in to OpenBao as role "${role}" at auth mount "${mount}"`;
  const advice = adviceOn(answer, mount);
  if (advice !== undefined) return new Trouble('OpenBaoLoginFailed', `${doing}: ${advice}`);
  if (answer.status < 300) return new Trouble('OpenBaoError', `${doing}: the answer is not one to a login`);
  return troubleOf(answer, doing, 'read');
};

/** For what somebody must put right; undefined where OpenBao itself is in trouble. */
const adviceOn = (answer: Answer, mount: string): string | undefined => {
  const { status } = answer;
  if (status === 403) return refusalOf(answer);
  if (status === 404 && says(answer, 'namespace not found')) {
    return 'the OpenBao namespace does not exist; put OPENBAO_NAMESPACE right';
  }
  if (status === 404 || status === 405) {
    return 'there is no auth method of type kubernetes; enable it, or put OPENBAO_AUTH_MOUNT right';
  }
  if (status === 400 && says(answer, 'invalid role name')) {
    return 'the role does not exist; create it, or put OPENBAO_ROLE right';
  }
  if (status === 400) return 'OpenBao does not accept the request; its log says why';
  if (says(answer, 'could not load backend configuration')) {
    return `the auth method is not configured; write auth/${mount}/config`;
  }
  return undefined;
};

/** In the order of OpenBao's checks. Its words are searched only, and without any it does not tell these cases apart. */
const refusalOf = (answer: Answer): string => {
  if (says(answer, 'service account name not authorized')) {
    return "bound_service_account_names of the role does not name the operator's service account";
  }
  if (says(answer, 'namespace not authorized')) {
    return "bound_service_account_namespaces of the role does not name the operator's namespace";
  }
  if (says(answer, 'audience')) {
    return 'the service account token is for another audience; the projected volume and the audience of the role must agree';
  }
  if (says(answer, 'expired')) {
    return 'the service account token has expired; the kubelet should have replaced it in its file';
  }
  return "OpenBao denies it: the auth mount does not exist or is not of type kubernetes, or the service account token is not good any more (it has expired, or its service account was deleted or made anew), or token_bound_cidrs of the role leaves the operator out, or OpenBao cannot ask the Kubernetes API; OpenBao's log says which";
};
