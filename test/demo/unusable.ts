/** What was given to the demo cannot be used; the message is one sentence for the person who gave it. */
export class Unusable extends Error {
  override readonly name = 'Unusable';
}
