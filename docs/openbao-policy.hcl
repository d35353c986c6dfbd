# The operator's policy in OpenBao: these rights and no other. Put the names of the KV version 2 mount and of the
# installation in place of <mount> and <installation>. The slash before * keeps the records of other installations away,
# also of one whose name begins like this one's. Nothing here lists, and no other mount is reached.

# A Tenant's record: create is for its first version, update for later ones, read is for looking before each step.
path "<mount>/data/<installation>/*" { capabilities = ["create", "read", "update"] }

# Deletes a record with all its versions, and proves that it is gone; read also shows a delete_version_after of the record.
path "<mount>/metadata/<installation>/*" { capabilities = ["delete", "read"] }

# A mount with delete_version_after would let passwords vanish: with this right that is seen before anything is written,
# without it only afterwards.
path "<mount>/config" { capabilities = ["read"] }

# Gives the token back when the operator stops.
path "auth/token/revoke-self" { capabilities = ["update"] }
