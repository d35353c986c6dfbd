import { admitCreation, checkPreconditions } from './admission.ts';
import { hasRules, objectRuleFaults } from './cel-rules.ts';
import type { KubeObject } from './client.ts';
import { schemaOf, type Endpoint } from './decode.ts';
import { defaultObject } from './defaults.ts';
import { isHeld, markDeleted, type DeleteOptions } from './deletion.ts';
import { invalid, rulesNotChecked } from './field-error.ts';
import { withManagedFields, type Writer } from './managed-fields.ts';
import { newMetadata } from './new-metadata.ts';
import { metaFaults } from './object-meta.ts';
import type { ResourceType, ResourceTypes } from './resource-type.ts';
import { alreadyExists, invalidObject } from './status-error.ts';
import type { ObjectStore } from './store.ts';
import { hasStatusEndpoint, isNoOp, withContent, withGeneration, withStatus } from './update.ts';
import { validate } from './validate.ts';

/** Creates, updates and deletes as the generic registry of kube-apiserver does. */
export class ObjectLifecycle {
  readonly #store: ObjectStore;
  readonly #types: ResourceTypes;

  constructor(store: ObjectStore, types: ResourceTypes) {
    this.#store = store;
    this.#types = types;
  }

  create(endpoint: Endpoint, decoded: KubeObject, namespace: string | undefined, writer: Writer): KubeObject {
    const { type } = endpoint;
    const metadata = newMetadata(decoded.metadata, namespace, type);
    const named = { ...decoded, metadata };
    admitCreation(named, type, this.#store, this.#types);
    const fresh = hasStatusEndpoint(endpoint) ? withStatus(named, defaultStatus(endpoint)) : named;
    const prepared = type.strategy.prepare?.(fresh, undefined) ?? fresh;
    checkValid(endpoint, prepared, undefined);
    if (this.#store.get(type, namespace, metadata.name) !== undefined)
      throw alreadyExists(type, metadata.name);
    return this.#store.put(type, withManagedFields(prepared, writer));
  }

  /** Writes the main resource, or with `writer.subresource` 'status' only the status. */
  update(endpoint: Endpoint, old: KubeObject, decoded: KubeObject, writer: Writer): KubeObject {
    const { type } = endpoint;
    checkPreconditions(type, old, decoded.metadata);
    if (!type.allowsUnconditionalUpdate && (decoded.metadata.resourceVersion ?? '') === '')
      throw invalidObject(type, old.metadata.name, [
        invalid('metadata.resourceVersion', 0, 'must be specified for an update'),
      ]);
    const composed =
      writer.subresource === 'status' ? withStatus(old, decoded.status) : withContent(old, decoded, endpoint);
    const prepared = type.strategy.prepare?.(composed, old) ?? composed;
    const counted = withGeneration(prepared, old, endpoint);
    checkValid(endpoint, counted, old);
    return isNoOp(counted, old) ? old : this.#settle(type, withManagedFields(counted, writer));
  }

  /** The object that is left waiting for its finalizers, or undefined when it is gone. */
  delete(type: ResourceType, object: KubeObject, options: DeleteOptions): KubeObject | undefined {
    checkPreconditions(type, object, options.preconditions ?? {});
    const marked = markDeleted(type, object, options.propagationPolicy);
    if (isHeld(marked)) return isNoOp(marked, object) ? object : this.#store.put(type, marked);
    this.#store.remove(type, object);
    return undefined;
  }

  /** A controller's own write, not checked: stores the object, or removes it when nothing holds it any more. */
  overwrite(type: ResourceType, object: KubeObject): void {
    this.#settle(type, object);
  }

  #settle(type: ResourceType, object: KubeObject): KubeObject {
    if (object.metadata.deletionTimestamp === undefined || isHeld(object))
      return this.#store.put(type, object);
    this.#store.remove(type, object);
    return object;
  }
}

/** What an object is shown with whose status nobody wrote yet. */
const defaultStatus = (endpoint: Endpoint): KubeObject['status'] =>
  (defaultObject({}, schemaOf(endpoint)) as Pick<KubeObject, 'status'>).status;

function checkValid(endpoint: Endpoint, object: KubeObject, old: KubeObject | undefined): void {
  const { type } = endpoint;
  const schema = schemaOf(endpoint);
  const faults = [
    ...metaFaults(object, old, type.nameRule),
    ...validate(object, old, schema, ''),
    ...(type.strategy.validate?.(object, old) ?? []),
  ];
  const isReadable = !faults.some(({ blocksRules }) => blocksRules);
  if (isReadable) faults.push(...objectRuleFaults(object, old, schema));
  else if (hasRules(schema)) faults.push(rulesNotChecked);
  if (faults.length > 0) throw invalidObject(type, object.metadata.name, faults);
}
