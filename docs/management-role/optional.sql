-- Beside group.sql; with single-login.sql the role is pgtenancy_login.
-- To end sessions of other roles (no superusers) that are in the way when a tenant's database is dropped:
grant pg_signal_backend to pgtenancy_admin;
