# For External Secrets with one identity for the whole cluster: reads every record of the installation, changes none. Limit
# the namespaces that may use the store (spec.conditions), or take openbao-namespace-reader-policy.hcl.

path "<mount>/data/<installation>/*" { capabilities = ["read"] }

# External Secrets looks at its token, and gives it back.
path "auth/token/lookup-self" { capabilities = ["read"] }
path "auth/token/revoke-self" { capabilities = ["update"] }
