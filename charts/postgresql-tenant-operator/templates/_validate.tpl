{{/* What no single value can show to be wrong: all of it in one message. The schema has said the rest by now. */}}
{{- define "postgresql-tenant-operator.validate" -}}
{{- $faults := list -}}
{{- $v := .Values -}}
{{- if not $v.installation -}}
{{- $faults = append $faults "installation is required: a name for this installation, never changed later, such as `production`" -}}
{{- end -}}
{{- if not $v.image.repository -}}
{{- $faults = append $faults "image.repository is required: where the operator's image is, without tag" -}}
{{- end -}}
{{- $faults = concat $faults (include "postgresql-tenant-operator.openBaoFaults" . | fromJsonArray) -}}
{{- $faults = concat $faults (include "postgresql-tenant-operator.hookFaults" . | fromJsonArray) -}}
{{- if and $v.postgres.ca.bundle $v.postgres.ca.configMap.name -}}
{{- $faults = append $faults "postgres.ca.bundle and postgres.ca.configMap.name exclude each other" -}}
{{- end -}}
{{- if gt (int $v.reconcile.loginCheckSeconds.min) (int $v.reconcile.loginCheckSeconds.max) -}}
{{- $faults = append $faults "reconcile.loginCheckSeconds.min must not be greater than reconcile.loginCheckSeconds.max" -}}
{{- end -}}
{{- if and (not $v.serviceAccount.create) (not $v.serviceAccount.name) -}}
{{- $faults = append $faults "serviceAccount.name is required with serviceAccount.create=false: the existing ServiceAccount" -}}
{{- end -}}
{{- $faults = concat $faults (include "postgresql-tenant-operator.labelFaults" . | fromJsonArray) -}}
{{- $faults = concat $faults (include "postgresql-tenant-operator.extraFaults" . | fromJsonArray) -}}
{{- $faults = concat $faults (include "postgresql-tenant-operator.clusterFaults" . | fromJsonArray) -}}
{{- $budget := $v.podDisruptionBudget -}}
{{- if and $budget.enabled (not (include "postgresql-tenant-operator.isGiven" $budget.minAvailable)) (not (include "postgresql-tenant-operator.isGiven" $budget.maxUnavailable)) -}}
{{- $faults = append $faults "podDisruptionBudget.maxUnavailable or podDisruptionBudget.minAvailable is required: with neither, nothing is held up" -}}
{{- end -}}
{{- if $faults -}}
{{- fail (printf "\n\nthe values cannot be used:\n- %s\n" (join "\n- " $faults)) -}}
{{- end -}}
{{- end -}}

{{/* As a JSON list: labels that the chart gives itself. Those by which Pods are selected can never change. */}}
{{- define "postgresql-tenant-operator.labelFaults" -}}
{{- $faults := list -}}
{{- $selector := include "postgresql-tenant-operator.selectorLabels" . | fromYaml | keys -}}
{{- $own := include "postgresql-tenant-operator.chartLabels" . | fromYaml | keys | concat $selector -}}
{{- range $name, $reserved := dict "commonLabels" $own "podLabels" $selector -}}
{{- range $label, $_ := get $.Values $name | default dict -}}
{{- if has $label $reserved -}}
{{- $faults = append $faults (printf "%s must not have %s, which the chart sets itself" $name $label) -}}
{{- else if contains "/aggregate-to-" $label -}}
{{- $faults = append $faults (printf "%s must not have %s: it would give the rights of Metacontroller and the operator to whoever has the role that it names" $name $label) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $faults | toJson -}}
{{- end -}}

{{/* As a JSON list: names in the Pod that are taken. Of two variables of one name the last one counts, without a word. */}}
{{- define "postgresql-tenant-operator.extraFaults" -}}
{{- $faults := list -}}
{{- $own := dict "extraEnv" "env" "extraVolumes" "volumes" -}}
{{- range $value, $part := $own -}}
{{- with get $.Values $value -}}
{{- $taken := list -}}
{{- range include (printf "postgresql-tenant-operator.%s" $part) $ | fromYamlArray -}}
{{- $taken = append $taken .name -}}
{{- end -}}
{{- range . -}}
{{- if has .name $taken -}}
{{- $faults = append $faults (printf "%s must not have %s, which the chart sets itself" $value .name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $faults | toJson -}}
{{- end -}}

{{/* As a JSON list. */}}
{{- define "postgresql-tenant-operator.openBaoFaults" -}}
{{- $faults := list -}}
{{- $bao := .Values.openbao -}}
{{- if not $bao.address -}}
{{- $faults = append $faults "openbao.address is required: where the operator reaches OpenBao, such as https://openbao-active.openbao:8200" -}}
{{- end -}}
{{- if not $bao.externalAddress -}}
{{- $faults = append $faults "openbao.externalAddress is required: where people and applications reach OpenBao; it may be the same as openbao.address" -}}
{{- end -}}
{{- if not $bao.mount -}}
{{- $faults = append $faults "openbao.mount is required: the KV version 2 mount for the credentials" -}}
{{- else if eq (splitList "/" $bao.mount | first) .Values.installation -}}
{{- $faults = append $faults "openbao.mount must not begin with the word that installation is: External Secrets would cut it off the path of a credential" -}}
{{- end -}}
{{- $given := compact (list ($bao.ca.bundle | default "") ($bao.ca.configMap.name | default "") (ternary "systemRoots" "" $bao.ca.systemRoots)) | len -}}
{{- if gt $given 1 -}}
{{- $faults = append $faults "openbao.ca.bundle, openbao.ca.configMap.name and openbao.ca.systemRoots exclude each other" -}}
{{- else if and (hasPrefix "https:" ($bao.address | default "")) (eq $given 0) -}}
{{- $faults = append $faults "openbao.ca is required with an https openbao.address: bundle or configMap.name, or systemRoots=true for a certificate of a public CA" -}}
{{- else if and (hasPrefix "http:" ($bao.address | default "")) (eq $given 1) -}}
{{- $faults = append $faults "openbao.ca must be empty with an http openbao.address, which shows no certificate" -}}
{{- end -}}
{{- if and (eq $bao.auth "token") (eq (empty $bao.tokenSecret.name) (empty $bao.tokenFile)) -}}
{{- $faults = append $faults "openbao.tokenSecret.name or openbao.tokenFile is required with openbao.auth=token, one of the two" -}}
{{- else if and (eq $bao.auth "kubernetes") (eq (splitList "/" ($bao.authMount | default "") | first) "auth") -}}
{{- $faults = append $faults "openbao.authMount must be the path below auth/: leave out auth/" -}}
{{- else if and (eq $bao.auth "kubernetes") (not (and $bao.role $bao.authMount)) -}}
{{- $faults = append $faults "openbao.role and openbao.authMount are required with openbao.auth=kubernetes" -}}
{{- end -}}
{{- $faults | toJson -}}
{{- end -}}

{{/* As a JSON list. */}}
{{- define "postgresql-tenant-operator.hookFaults" -}}
{{- $faults := list -}}
{{- $hook := .Values.hook -}}
{{- $controllers := .Values.metacontroller -}}
{{- $rendersControllers := and $controllers.enabled (ne $controllers.compositeControllers "never") -}}
{{- if eq (int $hook.port) (int .Values.metrics.port) -}}
{{- $faults = append $faults "hook.port and metrics.port must differ" -}}
{{- end -}}
{{- if eq $hook.tls.source "secret" -}}
{{- if not $hook.tls.secretName -}}
{{- $faults = append $faults "hook.tls.secretName is required with hook.tls.source=secret: a Secret of type kubernetes.io/tls" -}}
{{- end -}}
{{- if and $rendersControllers (not $hook.tls.caBundle) -}}
{{- $faults = append $faults "hook.tls.caBundle is required with hook.tls.source=secret: the CA that signed the certificate in it" -}}
{{- end -}}
{{- end -}}
{{- if and (eq $hook.tls.source "generated") $hook.tls.caBundle -}}
{{- $faults = append $faults "hook.tls.caBundle must be empty with hook.tls.source=generated, which makes a CA" -}}
{{- end -}}
{{- if and (eq $hook.tls.source "certManager") $rendersControllers (not (include "postgresql-tenant-operator.hookCa" .)) -}}
{{- if or (eq $controllers.compositeControllers "always") (not (include "postgresql-tenant-operator.canLookUp" .)) -}}
{{- $faults = append $faults "hook.tls.caBundle is required with hook.tls.source=certManager where it cannot be looked up: in a rendering without the cluster (helm template, Argo CD), and with metacontroller.compositeControllers=always until the certificate was issued" -}}
{{- end -}}
{{- end -}}
{{- if and $hook.token.enabled (not $hook.token.secretName) -}}
{{- $faults = append $faults "hook.token.secretName is required with hook.token.enabled=true: a Secret with the keys token and accepted" -}}
{{- end -}}
{{- if and (eq $hook.tls.source "none") $hook.token.enabled -}}
{{- $faults = append $faults "hook.token.enabled needs TLS: with hook.tls.source=none everybody on the way could read the token" -}}
{{- end -}}
{{- if and $controllers.hookUrl (hasPrefix "https:" $controllers.hookUrl | eq (eq $hook.tls.source "none")) -}}
{{- $faults = append $faults "metacontroller.hookUrl must begin with https, or with http when hook.tls.source=none" -}}
{{- end -}}
{{- $faults | toJson -}}
{{- end -}}
