-- In place of group.sql where there can be no other database or role: one login does it all, in a database that exists. Its
-- password can be changed, the login itself cannot be replaced: on 16 and newer only the creator of a role may change it.
-- In the PostgreSQLInstance: managementDatabase: postgres and no adminRole.
--   MANAGEMENT_PASSWORD="$(cat management-password)" psql -f single-login.sql
-- Others on the machine see the arguments of a process, but not its environment. Needs psql 15 or newer.
\set ON_ERROR_STOP on
\getenv password MANAGEMENT_PASSWORD
-- The password would stand in the log; a SCRAM verifier made elsewhere in its place stands in no statistics either.
set log_statement = 'none';
set log_min_error_statement = 'panic';
set log_min_duration_statement = -1;
-- Before anything is made it ends here without MANAGEMENT_PASSWORD (a syntax error), and with an empty one (a division by
-- zero).
select 1 / least(length(:'password'), 1) as "MANAGEMENT_PASSWORD";
create role pgtenancy_login login nosuperuser inherit createdb createrole noreplication nobypassrls
  connection limit 20 password :'password';
grant create on database postgres to pgtenancy_login;
