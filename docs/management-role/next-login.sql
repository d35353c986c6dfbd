-- Makes another login of the group of group.sql. For a second installation on the server that is all. To replace the first
-- login, put this one into the management Secret, wait until the Instance is Ready again, and drop the old one with:
-- drop role pgtenancy_login
--   MANAGEMENT_PASSWORD="$(cat management-password)" psql -f next-login.sql
-- Others on the machine see the arguments of a process, but not its environment. Needs psql 15 or newer. The operator takes
-- passwords of 1 to 1024 printable ASCII characters.
\set ON_ERROR_STOP on
\getenv password MANAGEMENT_PASSWORD
-- The password would stand in the log; a SCRAM verifier made elsewhere in its place stands in no statistics either.
set log_statement = 'none';
set log_min_error_statement = 'panic';
set log_min_duration_statement = -1;
set log_min_duration_sample = -1;
set log_transaction_sample_rate = 0;
set debug_print_parse = off;
set debug_print_rewritten = off;
begin;
create role pgtenancy_login_2 login nosuperuser inherit nocreatedb nocreaterole noreplication nobypassrls
  connection limit 20 password :'password';
-- PostgreSQL takes an empty password for none: then this divides by zero, and nothing was made.
select 1 / count(rolpassword) as "has a password" from pg_catalog.pg_authid where rolname = 'pgtenancy_login_2';
grant pgtenancy_admin to pgtenancy_login_2;
commit;
