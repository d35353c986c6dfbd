{{/* As a JSON list: what an upgrade would destroy, or could not do. Where nothing can be looked up there is nothing to say. */}}
{{- define "postgresql-tenant-operator.upgradeFaults" -}}
{{- $faults := list -}}
{{- if and .Release.IsUpgrade (not .Values.crds.enabled) -}}
{{- range $plural := list "postgresqlinstances" "postgresqltenants" -}}
{{- $crd := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" (printf "%s.pgtenancy.io" $plural) -}}
{{- if include "postgresql-tenant-operator.goesWithRelease" (dict "object" $crd "release" $.Release) -}}
{{- $faults = append $faults (printf "crds.enabled=false would delete %s.pgtenancy.io with all objects of the kind: upgrade with crds.enabled=true and crds.keep=true before" $plural) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $faults | toJson -}}
{{- end -}}

{{/* As a JSON list: what must stay as a Deployment has it, which this release made or is to take over. */}}
{{- define "postgresql-tenant-operator.takeOverFaults" -}}
{{- $faults := list -}}
{{- $fullname := include "postgresql-tenant-operator.fullname" . -}}
{{- range $deployment := (lookup "apps/v1" "Deployment" .Release.Namespace "").items -}}
{{- $name := $deployment.metadata.name -}}
{{- $selector := dig "spec" "selector" "matchLabels" dict $deployment | toJson -}}
{{- if and (eq $name $fullname) (ne $selector (include "postgresql-tenant-operator.selectorLabels" $ | fromYaml | toJson)) -}}
{{- $faults = append $faults (printf "nameOverride and the name of the release must fit the Deployment %s, which selects its Pods by %s: that can never be changed" $name $selector) -}}
{{- end -}}
{{- if or (eq $name $fullname) (include "postgresql-tenant-operator.goesWithRelease" (dict "object" $deployment "release" $.Release)) -}}
{{- $installation := include "postgresql-tenant-operator.installationOf" $deployment -}}
{{- if and $installation (ne $installation $.Values.installation) -}}
{{- $faults = append $faults (printf "installation must stay %s, as the Deployment %s has it: it is in the path of every credential and in the registry of every server. If that is a mistake, and no Tenant was made under it, delete the Deployment first" $installation $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $faults | toJson -}}
{{- end -}}

{{/* The name of the installation that a Deployment of the operator has; empty when it does not say one in so many words. */}}
{{- define "postgresql-tenant-operator.installationOf" -}}
{{- range $container := dig "spec" "template" "spec" "containers" list . -}}
{{- if eq $container.name "operator" -}}
{{- range $variable := $container.env -}}
{{- if eq $variable.name "INSTALLATION" -}}
{{- $variable.value | default "" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* As a JSON list: another operator of the cluster, whose Tenants this release would take with its CompositeControllers. */}}
{{- define "postgresql-tenant-operator.otherOperatorFaults" -}}
{{- $faults := list -}}
{{- if and .Release.IsInstall (include "postgresql-tenant-operator.hasControllers" .) -}}
{{- $controller := lookup "metacontroller.k8s.io/v1alpha1" "CompositeController" "" "postgresqltenant-controller" | default dict -}}
{{- $called := dig "spec" "hooks" "sync" "webhook" "url" "" $controller -}}
{{- $own := include "postgresql-tenant-operator.hookOrigin" . -}}
{{- if and $called (ne (urlParse $called).hostname (urlParse $own).hostname) -}}
{{- $faults = append $faults (printf "the CompositeController postgresqltenant-controller calls %s, and this release would have it call %s: there can be one operator in a cluster. Uninstall the other one first, or give this release the name and the namespace that it has" $called $own) -}}
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
