/**
 * What the suite does not ask of its own build: that every argument without a default is given, and that the image to run
 * on is the distroless one, whatever the registry. @throws Error as an engine would, or when it is another
 */
export function startsFrom(dockerfile: string, given: readonly string[]): void {
  const names = given.map((argument) => argument.slice(0, argument.indexOf('=')));
  const declared = [...dockerfile.matchAll(/^ARG (\w+)(=?)/gm)];
  for (const name of names)
    if (!declared.some(([, known]) => known === name)) throw new Error(`build-arg ${name} was not consumed`);
  for (const [, name = '', hasDefault] of declared)
    if (hasDefault === '' && !names.includes(name))
      throw new Error(`base name (\${${name}}) should not be blank`);
  const image = given.find((argument) => argument.startsWith('RUNTIME_IMAGE='));
  if (image?.endsWith('/distroless/nodejs24-debian12:nonroot') !== true)
    throw new Error(`the suite cannot stand for ${String(image)}`);
}
