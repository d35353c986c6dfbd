-- The role with which the operator manages one PostgreSQL server (15 to 18), with no more rights than it needs. A superuser
-- runs one of the two variants, with the names and the password replaced. Plain SQL, one statement after the other:
-- "create database" takes part in no transaction. What is missing on a server is named, as SQL like this, in the condition
-- RightsSufficient of the PostgreSQLInstance. Better than a password is a SCRAM verifier in its place, made elsewhere: then no
-- log and no statistics of statements can hold it; "set log_statement" keeps it out of the log at least.

-- variant: group
-- Recommended. A group owns the registry and administers the tenants' roles; logins are members that switch to it, so that
-- a login can be replaced while the operator runs. In the PostgreSQLInstance: managementDatabase: pgtenancy and
-- adminRole: pgtenancy_admin.
set log_statement = 'none';
create role pgtenancy_admin nologin nosuperuser inherit createdb createrole noreplication nobypassrls;
create role pgtenancy_login login nosuperuser inherit nocreatedb nocreaterole noreplication nobypassrls
  connection limit 20 password 'change-me';
grant pgtenancy_admin to pgtenancy_login;
create database pgtenancy owner pgtenancy_admin template template0 encoding 'UTF8';
revoke all on database pgtenancy from public;

-- variant: next login
-- To replace the login of the first variant: make another one, put it into the management Secret, wait until the Instance is
-- Ready again, and drop the old one with: drop role pgtenancy_login
set log_statement = 'none';
create role pgtenancy_login_2 login nosuperuser inherit nocreatedb nocreaterole noreplication nobypassrls
  connection limit 20 password 'change-me';
grant pgtenancy_admin to pgtenancy_login_2;

-- variant: single login
-- Where there can be no other database or role: one login does it all, in a database that exists. Its password can be
-- changed, the login itself cannot be replaced: on 16 and newer only the creator of a role may change it.
set log_statement = 'none';
create role pgtenancy_login login nosuperuser inherit createdb createrole noreplication nobypassrls
  connection limit 20 password 'change-me';
grant create on database postgres to pgtenancy_login;

-- variant: optional
-- To end sessions of other roles (no superusers) that are in the way when a tenant's database is dropped:
grant pg_signal_backend to pgtenancy_admin;
