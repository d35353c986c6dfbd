# For External Secrets with an identity for each namespace (serviceAccountRef without namespace): who logs in with a service
# account of a namespace reads the records of the Tenants in that namespace. <accessor> is the accessor of the Kubernetes auth
# mount (bao auth list).

path "<mount>/data/<installation>/{{identity.entity.aliases.<accessor>.metadata.service_account_namespace}}/*" { capabilities = ["read"] }

# External Secrets looks at its token, and gives it back.
path "auth/token/lookup-self" { capabilities = ["read"] }
path "auth/token/revoke-self" { capabilities = ["update"] }
