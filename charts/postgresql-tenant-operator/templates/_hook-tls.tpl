{{/* Secret with the hook's certificate and key. Each source has a name of its own, so that no two of them own one Secret. */}}
{{- define "postgresql-tenant-operator.tlsSecretName" -}}
{{- $source := .Values.hook.tls.source -}}
{{- $fullname := include "postgresql-tenant-operator.fullname" . -}}
{{- if eq $source "secret" -}}
{{- .Values.hook.tls.secretName -}}
{{- else if eq $source "certManager" -}}
{{- printf "%s-issued-tls" $fullname -}}
{{- else -}}
{{- printf "%s-tls" $fullname -}}
{{- end -}}
{{- end -}}

{{/* DNS names of the certificate, as a JSON list: those of the Service, the host of hookUrl, and what the values add. */}}
{{- define "postgresql-tenant-operator.hookDnsNames" -}}
{{- $service := printf "%s.%s" (include "postgresql-tenant-operator.fullname" .) .Release.Namespace -}}
{{- $names := list (printf "%s.svc" $service) $service (printf "%s.svc.cluster.local" $service) -}}
{{- with .Values.metacontroller.hookUrl -}}
{{- $host := (urlParse .).hostname -}}
{{- if not (regexMatch "^[0-9.]+$|:" $host) -}}
{{- $names = append $names $host -}}
{{- end -}}
{{- end -}}
{{- concat $names (.Values.hook.tls.extraDnsNames | default list) | uniq | toJson -}}
{{- end -}}

{{/* IP addresses of the certificate, as a JSON list. */}}
{{- define "postgresql-tenant-operator.hookIpAddresses" -}}
{{- $addresses := list -}}
{{- with .Values.metacontroller.hookUrl -}}
{{- $host := (urlParse .).hostname -}}
{{- if regexMatch "^[0-9.]+$|:" $host -}}
{{- $addresses = append $addresses $host -}}
{{- end -}}
{{- end -}}
{{- concat $addresses (.Values.hook.tls.extraIpAddresses | default list) | uniq | toJson -}}
{{- end -}}

{{/*
The CA and the certificate that the chart makes, as JSON: ca, caKey, cert, key (base64), names, renewAfter, sha256. Several templates
need the same pair, and a second call would make another one: the first stays in the values until the rendering ends.

What the chart made and is in the cluster is kept; a certificate that somebody else put there is of no CA that Metacontroller
believes, and is made anew. The CA outlives its certificates, so that a new certificate is trusted at once by everybody.
*/}}
{{- define "postgresql-tenant-operator.generatedTls" -}}
{{- if not (hasKey .Values "generatedTls") -}}
{{- $dns := include "postgresql-tenant-operator.hookDnsNames" . | fromJsonArray -}}
{{- $ips := include "postgresql-tenant-operator.hookIpAddresses" . | fromJsonArray -}}
{{- $names := join " " (concat $dns $ips) -}}
{{- $found := lookup "v1" "Secret" .Release.Namespace (include "postgresql-tenant-operator.caSecretName" .) -}}
{{- $old := lookup "v1" "Secret" .Release.Namespace (include "postgresql-tenant-operator.tlsSecretName" .) -}}
{{- $ca := dict -}}
{{- if $found -}}
{{- $ca = buildCustomCert (index $found.data "tls.crt") (index $found.data "tls.key") -}}
{{- else -}}
{{- $ca = genCAWithKey "postgresql-tenant-operator hook CA" 7300 (genPrivateKey "ecdsa") -}}
{{- end -}}
{{- $tls := dict "ca" ($ca.Cert | b64enc) "caKey" ($ca.Key | b64enc) "names" $names -}}
{{- $noted := dict -}}
{{- if $old -}}
{{- $noted = $old.metadata.annotations | default dict -}}
{{- end -}}
{{- $renewAfter := get $noted "pgtenancy.io/renew-after" -}}
{{- $kept := $old.data | default dict -}}
{{- $ours := and (eq (get $kept "ca.crt") $tls.ca) (eq (get $noted "pgtenancy.io/certificate-sha256") (get $kept "tls.crt" | b64dec | sha256sum)) -}}
{{- if and $found $ours (eq (get $noted "pgtenancy.io/names") $names) (lt (now | date "2006-01-02") $renewAfter) -}}
{{- $tls = merge $tls (dict "cert" (get $kept "tls.crt") "key" (get $kept "tls.key") "renewAfter" $renewAfter) -}}
{{- else -}}
{{- $days := int .Values.hook.tls.generated.validityDays -}}
{{- $leaf := genSignedCertWithKey (include "postgresql-tenant-operator.fullname" .) $ips $dns $days $ca (genPrivateKey "ecdsa") -}}
{{- $renewAfter = now | mustDateModify (printf "%dh" (mul $days 16)) | date "2006-01-02" -}}
{{- $tls = merge $tls (dict "cert" ($leaf.Cert | b64enc) "key" ($leaf.Key | b64enc) "renewAfter" $renewAfter) -}}
{{- end -}}
{{- $_ := set $tls "sha256" ($tls.cert | b64dec | sha256sum) -}}
{{- $_ := set .Values "generatedTls" $tls -}}
{{- end -}}
{{- .Values.generatedTls | toJson -}}
{{- end -}}

{{- define "postgresql-tenant-operator.caSecretName" -}}
{{- printf "%s-ca" (include "postgresql-tenant-operator.fullname" .) -}}
{{- end -}}

{{/* The CA that cert-manager put beside the certificate; empty when it did not yet. */}}
{{- define "postgresql-tenant-operator.issuedCa" -}}
{{- $secret := lookup "v1" "Secret" .Release.Namespace (include "postgresql-tenant-operator.tlsSecretName" .) -}}
{{- get ($secret.data | default dict) "ca.crt" | b64dec | trim -}}
{{- end -}}

{{/*
The CA of the hook's certificate as PEM text; empty when nobody knows it yet. With cert-manager it is known from the values, or
once the certificate was issued; while its Secret is away, what the CompositeController has goes on to count: a controller that
a release leaves out is deleted.
*/}}
{{- define "postgresql-tenant-operator.hookCa" -}}
{{- $tls := .Values.hook.tls -}}
{{- if eq $tls.source "generated" -}}
{{- (include "postgresql-tenant-operator.generatedTls" . | fromJson).ca | b64dec | trim -}}
{{- else if and (ne $tls.source "none") $tls.caBundle -}}
{{- $tls.caBundle | trim -}}
{{- else if eq $tls.source "certManager" -}}
{{- $issued := include "postgresql-tenant-operator.issuedCa" . -}}
{{- if $issued -}}
{{- $issued -}}
{{- else if .Capabilities.APIVersions.Has "metacontroller.k8s.io/v1alpha1/CompositeController" -}}
{{- $controller := lookup "metacontroller.k8s.io/v1alpha1" "CompositeController" "" "postgresqltenant-controller" -}}
{{- dig "spec" "hooks" "sync" "webhook" "caBundle" "inline" "" ($controller | default dict) | trim -}}
{{- end -}}
{{- end -}}
{{- end -}}
