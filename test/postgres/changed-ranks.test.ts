import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import { setUpSingleLogin } from '../world/servers/management-role.ts';
import { postgresMajors } from '../world/servers/postgres-binaries.ts';
import { type Postgres, startPostgres } from '../world/servers/postgres.ts';
import { waitFor } from '../world/servers/wait-for.ts';
import { LiveServer, LiveTenant, targetOf } from './live-server.ts';

for (const major of postgresMajors) {
  describe(`PostgreSQL ${major}, while somebody changes who may do what`, () => {
    let postgres: Postgres;
    let live: LiveServer;
    before(async () => {
      postgres = await startPostgres({ major });
      live = new LiveServer(postgres, targetOf(await setUpSingleLogin(postgres)));
      await live.register();
    });
    beforeEach(() => live.admin(`alter role ${live.manager} nosuperuser`));
    after(() => live.close());

    const opened = async () => {
      const tenant = new LiveTenant(live);
      await tenant.open();
      return tenant;
    };
    const selfGranted = async (tenant: LiveTenant) => (await tenant.observe()).role.registered?.selfGranted;
    /** What a crash in the middle of `create database` leaves. */
    const leaveGrant = async ({ roleName }: LiveTenant) => {
      const { username, password } = live.target;
      const manager = await live.connect({ user: username, password: password.reveal() });
      const options = major < 16 ? '' : ' with inherit true, set true';
      await manager.query(`grant ${roleName} to current_user${options}`);
      await manager.end();
    };

    it('takes a grant that was left back, whatever it is allowed since', async () => {
      const steps = [
        'returnMembership',
        'openDatabase',
        'close',
        'reopenRetained',
        'close',
        'tombstone',
        'dropDatabase',
        'dropRole',
      ] as const;
      const tenant = await opened();
      for (const step of steps) {
        await live.admin(`alter role ${live.manager} nosuperuser`);
        await leaveGrant(tenant);
        await live.admin(`alter role ${live.manager} superuser`);
        // A step that was decided just after the mark is refused.
        await live.admin(`update pgtenancy.tenant set state = 'Active', retained_at = null`);
        await tenant.steps[step](await tenant.handle());
        if (step !== 'dropDatabase') assert.ok((await selfGranted(tenant)) !== true, step);
        else await tenant.steps.returnMembership(await tenant.handle());
      }
      await tenant.steps.release(await tenant.handle());
    });

    it('leaves a grant of a role that became a superuser to a superuser, without failing', async () => {
      const tenant = await opened();
      await leaveGrant(tenant);
      await live.admin(`alter role ${tenant.roleName} superuser`);
      await tenant.steps.returnMembership(await tenant.handle());
      assert.equal(await selfGranted(tenant), true);
      await live.admin(`alter role ${tenant.roleName} nosuperuser`);
      await tenant.steps.returnMembership(await tenant.handle());
      assert.equal(await selfGranted(tenant), false);
      await tenant.remove();
    });

    it('names a visitor and an owner who have the rights of the management role', async () => {
      const tenant = await opened();
      const { databaseName, roleName } = tenant;
      const dba = `dba_${roleName}`;
      await live.admin(`create role ${dba} login createdb password 'x'; grant ${live.manager} to ${dba}`);
      await live.admin(`grant connect on database ${databaseName} to ${dba}`);
      const visitor = await live.connect({ user: dba, password: 'x', database: databaseName });
      await tenant.steps.close(await tenant.handle());
      await assert.rejects(async () => tenant.steps.tombstone(await tenant.handle()), {
        reason: 'DeletionBlocked',
        message: new RegExp(`^sessions of "${dba}" .* a superuser ends them: select `),
      });
      await visitor.end();
      await tenant.steps.tombstone(await tenant.handle());
      await tenant.steps.dropDatabase(await tenant.handle());
      await live.admin(`create database ${dba} owner ${dba}`);
      await live.admin(`grant connect on database ${dba} to ${roleName}`);
      const revoke = `revoke all on database "${dba}" from "${roleName}" cascade`;
      await assert.rejects(async () => tenant.steps.dropRole(await tenant.handle()), {
        reason: 'DeletionBlocked',
        message: new RegExp(`of "${dba}"; a superuser runs: ${revoke}$`),
      });
      await live.admin(revoke);
      await tenant.steps.dropRole(await tenant.handle());
    });

    if (major < 16) {
      it('says of a tenant that has the rights of the management role how they are taken away', async () => {
        const tenant = await opened();
        const { roleName } = tenant;
        await live.admin(`grant ${live.manager} to ${roleName}`);
        const revoke = `revoke "${live.manager}" from "${roleName}"`;
        for (const step of ['openDatabase', 'close'] as const) {
          await assert.rejects(async () => tenant.steps[step](await tenant.handle()), {
            reason: 'RightsMissing',
            message: new RegExp(`; a superuser takes them away: ${revoke}$`),
          });
        }
        await live.admin(revoke);
        await tenant.remove();
      });
    }

    it('tries drop database again when its rights were taken back in between', async () => {
      const tenant = await opened();
      await tenant.steps.close(await tenant.handle());
      await tenant.steps.tombstone(await tenant.handle());
      const handle = await tenant.handle();
      const holder = await live.connect();
      await holder.query('begin; lock table pg_catalog.pg_database in share mode');
      const refused = assert.rejects(tenant.steps.dropDatabase(handle), {
        reason: 'Busy',
        retryAfterSeconds: 2,
      });
      try {
        await waitFor('the statement', async () => {
          const { inFlight, role } = await tenant.observe();
          return inFlight === 'drop' && role.registered?.selfGranted === true;
        });
        // As another replica does whose own attempt failed.
        await live.admin(`revoke ${tenant.roleName} from ${live.manager} granted by ${live.manager}`);
      } finally {
        await holder.end();
      }
      await refused;
      await tenant.steps.dropDatabase(await tenant.handle());
      await tenant.steps.dropRole(await tenant.handle());
    });
  });
}
