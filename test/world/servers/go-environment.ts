/** Programs written in Go collect garbage seldom: of memory there is enough, of time there is not. Others do not look. */
export const goEnvironment = { GOGC: '400' } as const;
