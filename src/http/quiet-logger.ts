import type { FastifyBaseLogger } from 'fastify';

/** Lines that Fastify writes by itself tell where it listens and who broke off: only its warnings are let through. */
export const quietly = (logger: FastifyBaseLogger): FastifyBaseLogger =>
  logger.child({}, { level: ['info', 'debug', 'trace'].includes(logger.level) ? 'warn' : logger.level });
