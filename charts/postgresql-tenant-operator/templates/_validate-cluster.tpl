{{/* As a JSON list: what would harm that which is in the cluster. Where nothing can be looked up there is nothing to say. */}}
{{- define "postgresql-tenant-operator.clusterFaults" -}}
{{- $faults := include "postgresql-tenant-operator.kindFaults" . | fromJsonArray -}}
{{- range $deployment := include "postgresql-tenant-operator.ownDeployments" . | fromJsonArray -}}
{{- $faults = concat $faults (include "postgresql-tenant-operator.deploymentFaults" (dict "context" $ "deployment" $deployment) | fromJsonArray) -}}
{{- end -}}
{{- concat $faults (include "postgresql-tenant-operator.otherOperatorFaults" . | fromJsonArray) | toJson -}}
{{- end -}}

{{/* As a JSON list: the kinds that an upgrade would delete. */}}
{{- define "postgresql-tenant-operator.kindFaults" -}}
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

{{/* As a JSON list: the Deployment of the full name, whoever made it, and those of this release that had another name. */}}
{{- define "postgresql-tenant-operator.ownDeployments" -}}
{{- $fullname := include "postgresql-tenant-operator.fullname" . -}}
{{- $own := list -}}
{{- with lookup "apps/v1" "Deployment" .Release.Namespace $fullname -}}
{{- $own = append $own . -}}
{{- end -}}
{{- if .Release.IsUpgrade -}}
{{- range $other := (lookup "apps/v1" "Deployment" .Release.Namespace "").items -}}
{{- $ofThisChart := dig "metadata" "labels" "helm.sh/chart" "" $other | hasPrefix (printf "%s-" $.Chart.Name) -}}
{{- $ofThisRelease := include "postgresql-tenant-operator.goesWithRelease" (dict "object" $other "release" $.Release) -}}
{{- if and $ofThisChart $ofThisRelease (ne $other.metadata.name $fullname) -}}
{{- $own = append $own $other -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $own | toJson -}}
{{- end -}}

{{/* As a JSON list: what must stay as it is in a Deployment. Takes the context and the Deployment. */}}
{{- define "postgresql-tenant-operator.deploymentFaults" -}}
{{- $faults := list -}}
{{- $name := .deployment.metadata.name -}}
{{- $selector := dig "spec" "selector" "matchLabels" dict .deployment | toJson -}}
{{- $wanted := include "postgresql-tenant-operator.selectorLabels" .context | fromYaml | toJson -}}
{{- if and (eq $name (include "postgresql-tenant-operator.fullname" .context)) (ne $selector $wanted) -}}
{{- $faults = append $faults (printf "nameOverride and the name of the release must fit the Deployment %s, which selects its Pods by %s: that can never be changed" $name $selector) -}}
{{- end -}}
{{- $installation := include "postgresql-tenant-operator.installationOf" .deployment -}}
{{- if and $installation (ne $installation .context.Values.installation) -}}
{{- $faults = append $faults (printf "installation must stay %s, as the Deployment %s has it: it is in the path of every credential and in the registry of every server. If that is a mistake, and no Tenant was made under it, delete the Deployment first" $installation $name) -}}
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
{{- $known := .Capabilities.APIVersions.Has "metacontroller.k8s.io/v1alpha1/CompositeController" -}}
{{- if and $known (include "postgresql-tenant-operator.hasControllers" .) -}}
{{- $controller := lookup "metacontroller.k8s.io/v1alpha1" "CompositeController" "" "postgresqltenant-controller" | default dict -}}
{{- $called := dig "spec" "hooks" "sync" "webhook" "url" "" $controller -}}
{{- $wanted := include "postgresql-tenant-operator.hookOrigin" . -}}
{{- $ours := include "postgresql-tenant-operator.goesWithRelease" (dict "object" $controller "release" .Release) -}}
{{- if and $called (not $ours) (ne (include "postgresql-tenant-operator.hostAndPort" $called) (include "postgresql-tenant-operator.hostAndPort" $wanted)) -}}
{{- $faults = append $faults (printf "the CompositeController postgresqltenant-controller calls %s, and this release would have it call %s: there can be one operator in a cluster. If they are the same one, let metacontroller.hookUrl say its address; otherwise uninstall the other one first" $called $wanted) -}}
{{- end -}}
{{- end -}}
{{- $faults | toJson -}}
{{- end -}}

{{/* Of a URL; a Service has the same one with and without the domain that clusters usually have. */}}
{{- define "postgresql-tenant-operator.hostAndPort" -}}
{{- (urlParse .).host | replace ".svc.cluster.local" ".svc" -}}
{{- end -}}

{{/* "true" for an object that Helm deletes once this release no longer has it. Takes the object, perhaps empty, and the release. */}}
{{- define "postgresql-tenant-operator.goesWithRelease" -}}
{{- $said := dig "metadata" "annotations" dict (.object | default dict) -}}
{{- $owner := list (get $said "meta.helm.sh/release-name") (get $said "meta.helm.sh/release-namespace") -}}
{{- if and (deepEqual $owner (list .release.Name .release.Namespace)) (ne (get $said "helm.sh/resource-policy") "keep") -}}
true
{{- end -}}
{{- end -}}
