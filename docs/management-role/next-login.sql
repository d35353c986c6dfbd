-- Replaces the login of group.sql: make another one, put it into the management Secret, wait until the Instance is Ready
-- again, and drop the old one with: drop role pgtenancy_login
--   MANAGEMENT_PASSWORD="$(cat management-password)" psql -f next-login.sql
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
create role pgtenancy_login_2 login nosuperuser inherit nocreatedb nocreaterole noreplication nobypassrls
  connection limit 20 password :'password';
grant pgtenancy_admin to pgtenancy_login_2;
