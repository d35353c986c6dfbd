import { blocks } from './markdown.ts';

/** A part of a page that is otherwise written by hand. */
export const generatedBlock = (name: string, content: string): string =>
  blocks(`<!-- generated: ${name} -->`, content, `<!-- end: ${name} -->`);

/** The page with new content in the block of that name. Throws when it has none. */
export function withBlock(page: string, name: string, content: string): string {
  const place = new RegExp(`<!-- generated: ${name} -->[^]*?<!-- end: ${name} -->`);
  if (!place.test(page)) throw new Error(`the page has no place for "${name}"`);
  return page.replace(place, () => generatedBlock(name, content));
}
