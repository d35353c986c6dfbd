-- Recommended. A group owns the registry and administers the tenants' roles; logins are members that switch to it, so that
-- a login can be replaced while the operator runs. In the PostgreSQLInstance: managementDatabase: pgtenancy and
-- adminRole: pgtenancy_admin. A superuser runs it, with a password of his own making:
--   MANAGEMENT_PASSWORD="$(cat management-password)" psql -f group.sql
-- Others on the machine see the arguments of a process, but not its environment. Needs psql 15 or newer.
\set ON_ERROR_STOP on
\getenv password MANAGEMENT_PASSWORD
-- The limit of connections must hold maxConnections of the Instance for each replica of the operator, for the one more that
-- an upgrade runs, and one connection besides.
-- The password would stand in the log; a SCRAM verifier made elsewhere in its place stands in no statistics either.
set log_statement = 'none';
set log_min_error_statement = 'panic';
set log_min_duration_statement = -1;
-- Before anything is made it ends here without MANAGEMENT_PASSWORD (a syntax error), and with an empty one (a division by
-- zero).
select 1 / least(length(:'password'), 1) as "MANAGEMENT_PASSWORD";
create role pgtenancy_login login nosuperuser inherit nocreatedb nocreaterole noreplication nobypassrls
  connection limit 20 password :'password';
create role pgtenancy_admin nologin nosuperuser inherit createdb createrole noreplication nobypassrls;
grant pgtenancy_admin to pgtenancy_login;
create database pgtenancy owner pgtenancy_admin template template0 encoding 'UTF8';
revoke all on database pgtenancy from public;
