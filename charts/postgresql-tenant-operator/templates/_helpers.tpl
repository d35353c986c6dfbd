{{/* Name of the application: in labels, and part of the full name. */}}
{{- define "postgresql-tenant-operator.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* Full name: of nearly all objects. Room is left for what some names have behind it. */}}
{{- define "postgresql-tenant-operator.fullname" -}}
{{- $name := include "postgresql-tenant-operator.name" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels that select the operator's Pods. They can never be changed on a Deployment that exists. */}}
{{- define "postgresql-tenant-operator.selectorLabels" -}}
app.kubernetes.io/name: {{ include "postgresql-tenant-operator.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{/* Labels of an object that is no Pod. */}}
{{- define "postgresql-tenant-operator.labels" -}}
{{- include "postgresql-tenant-operator.labelsWith" (dict "context" . "labels" dict) -}}
{{- end -}}

{{/* The same with more `labels`, which win. Merged, because a key that stands twice is no YAML. */}}
{{- define "postgresql-tenant-operator.labelsWith" -}}
{{- $own := merge (include "postgresql-tenant-operator.selectorLabels" .context | fromYaml) (include "postgresql-tenant-operator.chartLabels" .context | fromYaml) -}}
{{- toYaml (merge dict (.labels | default dict) $own (.context.Values.commonLabels | default dict)) -}}
{{- end -}}

{{/* The part of them that says which chart made it. */}}
{{- define "postgresql-tenant-operator.chartLabels" -}}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" | quote }}
{{- end -}}

{{/* Labels of the operator's Pods. */}}
{{- define "postgresql-tenant-operator.podLabels" -}}
{{- $selector := include "postgresql-tenant-operator.selectorLabels" . | fromYaml -}}
{{- toYaml (merge $selector (.Values.podLabels | default dict) (.Values.commonLabels | default dict)) -}}
{{- end -}}

{{/* Annotations of the operator's Pods; the CA of the servers is read at the start only, every other file again when it changes. */}}
{{- define "postgresql-tenant-operator.podAnnotations" -}}
{{- $own := dict -}}
{{- with .Values.postgres.ca.bundle -}}
{{- $own = dict "checksum/postgres-ca" (trim . | sha256sum) -}}
{{- end -}}
{{- toYaml (merge $own (.Values.podAnnotations | default dict)) -}}
{{- end -}}

{{/* Security of a Pod. OpenShift gives each namespace ids of its own, and admits no Pod that asks for others. */}}
{{- define "postgresql-tenant-operator.podSecurityContext" -}}
{{- $security := .Values.podSecurityContext | default dict -}}
{{- $mode := .Values.openShift -}}
{{- if or (eq $mode "always") (and (eq $mode "auto") (.Capabilities.APIVersions.Has "security.openshift.io/v1")) -}}
{{- $security = omit $security "runAsUser" "runAsGroup" "fsGroup" -}}
{{- end -}}
{{- toYaml $security -}}
{{- end -}}

{{- define "postgresql-tenant-operator.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (include "postgresql-tenant-operator.fullname" .) -}}
{{- end -}}

{{/* By digest where there is one: a tag can be moved. */}}
{{- define "postgresql-tenant-operator.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{/* Where Metacontroller calls the hook, without path. */}}
{{- define "postgresql-tenant-operator.hookOrigin" -}}
{{- if .Values.metacontroller.hookUrl -}}
{{- .Values.metacontroller.hookUrl -}}
{{- else -}}
{{- $scheme := ternary "http" "https" (eq .Values.hook.tls.source "none") -}}
{{- printf "%s://%s.%s.svc:%d" $scheme (include "postgresql-tenant-operator.fullname" .) .Release.Namespace (int .Values.hook.port) -}}
{{- end -}}
{{- end -}}

{{/* ConfigMap with the bundles that stand in the values. */}}
{{- define "postgresql-tenant-operator.certificatesName" -}}
{{- printf "%s-certificates" (include "postgresql-tenant-operator.fullname" .) -}}
{{- end -}}

{{/*
Seconds from SIGTERM to the end at the latest: DRAIN_SECONDS, 80 % of HOOK_TIMEOUT_SECONDS (rounded up), 10 for closing
connections; and 3 so that the process always ends before it is killed.
*/}}
{{- define "postgresql-tenant-operator.terminationGracePeriodSeconds" -}}
{{- add (int .Values.hook.drainSeconds) (div (add (mul (int .Values.hook.timeoutSeconds) 4) 4) 5) 13 -}}
{{- end -}}

{{/* "true" where CompositeControllers can be made, or where nobody can say: no real cluster is without apiregistration. */}}
{{- define "postgresql-tenant-operator.hasMetacontroller" -}}
{{- $known := .Capabilities.APIVersions -}}
{{- if or ($known.Has "metacontroller.k8s.io/v1alpha1/CompositeController") (not ($known.Has "apiregistration.k8s.io/v1")) -}}
true
{{- end -}}
{{- end -}}

{{/* "true" where `lookup` finds what there is. Argo CD tells a cluster's API versions, and yet looks nothing up. */}}
{{- define "postgresql-tenant-operator.canLookUp" -}}
{{- if lookup "v1" "Namespace" "" "kube-system" -}}
true
{{- end -}}
{{- end -}}

{{/* "true" where the release has the CompositeControllers. */}}
{{- define "postgresql-tenant-operator.hasControllers" -}}
{{- $wanted := .Values.metacontroller.compositeControllers -}}
{{- if and .Values.metacontroller.enabled (ne $wanted "never") -}}
{{- $possible := or (eq $wanted "always") (include "postgresql-tenant-operator.hasMetacontroller" .) -}}
{{- $trusted := or (eq .Values.hook.tls.source "none") (include "postgresql-tenant-operator.hookCa" .) -}}
{{- if and $possible $trusted -}}
true
{{- end -}}
{{- end -}}
{{- end -}}

{{/* One webhook of a CompositeController. Takes the context, the path and the timeout in seconds. */}}
{{- define "postgresql-tenant-operator.webhook" -}}
version: v2
webhook:
  url: {{ printf "%s%s" (include "postgresql-tenant-operator.hookOrigin" .context) .path | quote }}
  timeout: {{ .seconds }}s
  {{- with include "postgresql-tenant-operator.hookCa" .context }}
  caBundle:
    inline: |
      {{- . | nindent 6 }}
  {{- end }}
  {{- if .context.Values.hook.token.enabled }}
  authorization:
    secretRef:
      name: {{ .context.Values.hook.token.secretName | quote }}
      namespace: {{ .context.Release.Namespace | quote }}
      key: token
  {{- end }}
{{- end -}}

{{/* "true" for a number or a text that says something. Zero does. */}}
{{- define "postgresql-tenant-operator.isGiven" -}}
{{- if not (or (kindIs "invalid" .) (eq (toString .) "")) -}}
true
{{- end -}}
{{- end -}}

{{/* Port of openbao.address. */}}
{{- define "postgresql-tenant-operator.openBaoPort" -}}
{{- $url := urlParse (.Values.openbao.address | default "") -}}
{{- regexFind "[0-9]+$" (regexFind ":[0-9]+$" $url.host) | default (ternary "443" "80" (eq $url.scheme "https")) -}}
{{- end -}}

{{/* Labels of the Pod of `helm test`: none of them selects the operator's Pods. */}}
{{- define "postgresql-tenant-operator.testLabels" -}}
app.kubernetes.io/name: {{ include "postgresql-tenant-operator.name" . | trunc 58 | printf "%s-test" | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{/* topologySpreadConstraints, each about the operator's Pods unless it says otherwise; as a YAML list. */}}
{{- define "postgresql-tenant-operator.spread" -}}
{{- $selector := dict "matchLabels" (include "postgresql-tenant-operator.selectorLabels" . | fromYaml) -}}
{{- $spread := list -}}
{{- range .Values.topologySpreadConstraints -}}
{{- $spread = append $spread (hasKey . "labelSelector" | ternary . (merge (dict "labelSelector" $selector) .)) -}}
{{- end -}}
{{- toYaml $spread -}}
{{- end -}}
