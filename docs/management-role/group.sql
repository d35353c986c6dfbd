-- Recommended. A group owns the registry and administers the tenants' roles; logins are members that switch to it, so that
-- a login can be replaced while the operator runs. In the PostgreSQLInstance: managementDatabase: pgtenancy and
-- adminRole: pgtenancy_admin. A superuser runs it, with a password of his own making:
--   MANAGEMENT_PASSWORD="$(cat management-password)" psql -v ON_ERROR_STOP=1 -f group.sql
-- Others on the machine see the arguments of a process, but not its environment. Needs psql 15 or newer.
\getenv password MANAGEMENT_PASSWORD
-- The limit of connections must hold maxConnections of the Instance for each replica of the operator, and one more.
-- The password would stand in the log; a SCRAM verifier made elsewhere in its place stands in no statistics either.
set log_statement = 'none';
set log_min_error_statement = 'panic';
set log_min_duration_statement = -1;
-- An empty password ends it here, before anything is made.
select 1 / length(:'password') as "there is a password";
create role pgtenancy_login login nosuperuser inherit nocreatedb nocreaterole noreplication nobypassrls
  connection limit 20 password :'password';
create role pgtenancy_admin nologin nosuperuser inherit createdb createrole noreplication nobypassrls;
grant pgtenancy_admin to pgtenancy_login;
create database pgtenancy owner pgtenancy_admin template template0 encoding 'UTF8';
revoke all on database pgtenancy from public;
