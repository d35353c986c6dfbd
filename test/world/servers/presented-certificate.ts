import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** The first message of a PostgreSQL client that wants TLS: its length (8) and the request code 80877103. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** The fingerprint (SHA-256) of the certificate that a PostgreSQL server presents to a new connection now. */
export const presentedFingerprint = (host: string, port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connectTcp({ host, port, timeout: 5_000 });
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    socket.once('error', fail).once('timeout', () => fail(new Error('PostgreSQL did not answer within 5 s')));
    socket.once('connect', () => socket.write(sslRequest));
    socket.once('data', (answer) => {
      if (answer.toString('latin1') !== 'S') {
        fail(new Error('PostgreSQL refuses TLS'));
        return;
      }
      // Only looked at, never trusted: nothing is sent over this connection.
      const secure = connectTls({ socket, rejectUnauthorized: false });
      secure.once('error', fail).once('secureConnect', () => {
        const { fingerprint256 } = secure.getPeerCertificate();
        secure.destroy();
        socket.destroy();
        resolve(fingerprint256);
      });
    });
  });
