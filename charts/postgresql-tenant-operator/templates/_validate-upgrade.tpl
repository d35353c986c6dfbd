{{/* As a JSON list: what an upgrade would destroy, or could not do. Where nothing can be looked up there is nothing to say. */}}
{{- define "postgresql-tenant-operator.upgradeFaults" -}}
{{- $faults := list -}}
{{- $fullname := include "postgresql-tenant-operator.fullname" . -}}
{{- $deployment := lookup "apps/v1" "Deployment" .Release.Namespace $fullname | default dict -}}
{{- if .Release.IsUpgrade -}}
{{- if not .Values.crds.enabled -}}
{{- range $plural := list "postgresqlinstances" "postgresqltenants" -}}
{{- $crd := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" (printf "%s.pgtenancy.io" $plural) -}}
{{- if include "postgresql-tenant-operator.goesWithRelease" (dict "object" $crd "release" $.Release) -}}
{{- $faults = append $faults (printf "crds.enabled=false would delete %s.pgtenancy.io with all objects of the kind: upgrade with crds.enabled=true and crds.keep=true before" $plural) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $selector := dig "spec" "selector" "matchLabels" dict $deployment -}}
{{- if and $selector (ne (toJson $selector) (include "postgresql-tenant-operator.selectorLabels" . | fromYaml | toJson)) -}}
{{- $faults = append $faults (printf "nameOverride must stay what it was: the Deployment %s selects its Pods by %s, and that can never be changed" $fullname (toJson $selector)) -}}
{{- end -}}
{{- end -}}
{{/* Also when it was made by hand and Helm is to take it over. */}}
{{- range $container := dig "spec" "template" "spec" "containers" list $deployment -}}
{{- if eq $container.name "operator" -}}
{{- range $variable := $container.env -}}
{{- if and (eq $variable.name "INSTALLATION") $variable.value (ne $variable.value $.Values.installation) -}}
{{- $faults = append $faults (printf "installation must stay what it was, %s: it is in the path of every credential and in the registry of every server" $variable.value) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $faults | toJson -}}
{{- end -}}

{{/* "true" for an object that Helm deletes once this release no longer has it. Takes the object, perhaps empty, and the release. */}}
{{- define "postgresql-tenant-operator.goesWithRelease" -}}
{{- $said := dig "metadata" "annotations" dict (.object | default dict) -}}
{{- $owner := list (get $said "meta.helm.sh/release-name") (get $said "meta.helm.sh/release-namespace") -}}
{{- if and (deepEqual $owner (list .release.Name .release.Namespace)) (ne (get $said "helm.sh/resource-policy") "keep") -}}
true
{{- end -}}
{{- end -}}
