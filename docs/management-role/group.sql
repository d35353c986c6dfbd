-- Recommended. A group owns the registry and administers the tenants' roles; logins are members that switch to it, so that
-- a login can be replaced while the operator runs. In the PostgreSQLInstance: managementDatabase: pgtenancy and
-- adminRole: pgtenancy_admin. A superuser runs it, with a password of his own making:
--   MANAGEMENT_PASSWORD="$(cat management-password)" psql -f group.sql
-- Others on the machine see the arguments of a process, but not its environment. Needs psql 15 or newer. The operator takes
-- passwords of 1 to 1024 printable ASCII characters.
\set ON_ERROR_STOP on
\getenv password MANAGEMENT_PASSWORD
-- The limit of connections must hold maxConnections of the Instance for each replica of the operator, for the one more that
-- an upgrade runs, and one connection besides.
-- The password would stand in the log; a SCRAM verifier made elsewhere in its place stands in no statistics either.
set log_statement = 'none';
set log_min_error_statement = 'panic';
set log_min_duration_statement = -1;
set log_min_duration_sample = -1;
set log_transaction_sample_rate = 0;
set debug_print_parse = off;
set debug_print_rewritten = off;
begin;
create role pgtenancy_login login nosuperuser inherit nocreatedb nocreaterole noreplication nobypassrls
  connection limit 20 password :'password';
-- PostgreSQL takes an empty password for none: then this divides by zero, and nothing was made.
select 1 / count(rolpassword) as "has a password" from pg_catalog.pg_authid where rolname = 'pgtenancy_login';
create role pgtenancy_admin nologin nosuperuser inherit createdb createrole noreplication nobypassrls;
grant pgtenancy_admin to pgtenancy_login;
commit;
create database pgtenancy owner pgtenancy_admin template template0 encoding 'UTF8';
revoke all on database pgtenancy from public;
