/** A character that no header can carry would make the HTTP library throw an error of its own, with the token in it. */
export const isHeaderToken = (text: string): boolean => /^[\x21-\x7e]+$/.test(text);
