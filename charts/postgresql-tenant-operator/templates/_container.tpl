{{/* The operator's configuration: every variable of docs/configuration.md that a chart can know. */}}
{{- define "postgresql-tenant-operator.env" -}}
- name: INSTALLATION
  value: {{ .Values.installation | quote }}
- name: OPERATOR_NAMESPACE
  valueFrom:
    fieldRef:
      fieldPath: metadata.namespace
- name: LOG_LEVEL
  value: {{ .Values.logLevel | quote }}
{{- with .Values.listenAddress }}
- name: HOST
  value: {{ . | quote }}
{{- end }}
{{ include "postgresql-tenant-operator.hookEnv" . }}
{{- with .Values.kubernetesApi.url }}
- name: KUBERNETES_URL
  value: {{ . | quote }}
{{- end }}
- name: KUBERNETES_CA_FILE
  value: /var/run/secrets/kubernetes-api/ca.crt
- name: KUBERNETES_TOKEN_FILE
  value: /var/run/secrets/kubernetes-api/token
{{ include "postgresql-tenant-operator.openBaoEnv" . }}
{{- if or .Values.postgres.ca.bundle .Values.postgres.ca.configMap.name }}
- name: POSTGRES_CA_FILE
  value: /etc/postgresql-tenant-operator/postgres-ca.crt
{{- end }}
- name: SECRET_STORE_KIND
  value: {{ .Values.secretStore.kind | quote }}
- name: SECRET_STORE_NAME
  value: {{ .Values.secretStore.name | quote }}
- name: HOOK_TIMEOUT_SECONDS
  value: {{ .Values.hook.timeoutSeconds | quote }}
- name: DRAIN_SECONDS
  value: {{ .Values.hook.drainSeconds | quote }}
- name: CHECK_INTERVAL_SECONDS_MIN
  value: {{ int .Values.reconcile.loginCheckSeconds.min | quote }}
- name: CHECK_INTERVAL_SECONDS_MAX
  value: {{ int .Values.reconcile.loginCheckSeconds.max | quote }}
- name: RESYNC_SECONDS
  value: {{ int .Values.reconcile.resyncSeconds | quote }}
{{- end -}}

{{- define "postgresql-tenant-operator.hookEnv" -}}
- name: PORT
  value: {{ .Values.hook.port | quote }}
- name: METRICS_PORT
  value: {{ .Values.metrics.port | quote }}
{{- if eq .Values.hook.tls.source "none" }}
- name: HOOK_TLS
  value: 'off'
{{- else }}
- name: HOOK_TLS_CERT_FILE
  value: /var/run/secrets/hook-tls/tls.crt
- name: HOOK_TLS_KEY_FILE
  value: /var/run/secrets/hook-tls/tls.key
{{- end }}
{{- if .Values.hook.token.enabled }}
- name: HOOK_TOKEN_FILE
  value: /var/run/secrets/hook/tokens
{{- else }}
# Said in words: only the NetworkPolicy keeps others away. hook.token has the price of a token.
- name: HOOK_AUTHENTICATION
  value: none
{{- end }}
{{- end -}}

{{- define "postgresql-tenant-operator.openBaoEnv" -}}
{{- $bao := .Values.openbao -}}
- name: OPENBAO_ADDRESS
  value: {{ $bao.address | quote }}
- name: OPENBAO_EXTERNAL_ADDRESS
  value: {{ $bao.externalAddress | quote }}
{{- if or $bao.ca.bundle $bao.ca.configMap.name }}
- name: OPENBAO_CA_FILE
  value: /etc/postgresql-tenant-operator/openbao-ca.crt
{{- else if $bao.ca.systemRoots }}
- name: OPENBAO_TRUST_SYSTEM_ROOTS
  value: 'true'
{{- end }}
- name: OPENBAO_MOUNT
  value: {{ $bao.mount | quote }}
{{- with $bao.namespace }}
- name: OPENBAO_NAMESPACE
  value: {{ . | quote }}
{{- end }}
{{- if eq $bao.auth "token" }}
- name: OPENBAO_AUTH
  value: token
- name: OPENBAO_TOKEN_FILE
  value: {{ $bao.tokenFile | default "/var/run/secrets/openbao/token" | quote }}
{{- else }}
- name: OPENBAO_ROLE
  value: {{ $bao.role | quote }}
- name: OPENBAO_AUTH_MOUNT
  value: {{ $bao.authMount | quote }}
- name: OPENBAO_SERVICE_ACCOUNT_TOKEN_FILE
  value: /var/run/secrets/openbao/token
{{- end }}
{{- end -}}

{{/* "true" where a token for OpenBao is mounted; otherwise an agent in the Pod has it. */}}
{{- define "postgresql-tenant-operator.hasOpenBaoToken" -}}
{{- if or (eq .Values.openbao.auth "kubernetes") .Values.openbao.tokenSecret.name -}}
true
{{- end -}}
{{- end -}}

{{/* "true" where a CA bundle is mounted. */}}
{{- define "postgresql-tenant-operator.hasCertificates" -}}
{{- with .Values -}}
{{- if or .openbao.ca.bundle .openbao.ca.configMap.name .postgres.ca.bundle .postgres.ca.configMap.name -}}
true
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "postgresql-tenant-operator.volumeMounts" -}}
- name: kubernetes-api
  mountPath: /var/run/secrets/kubernetes-api
  readOnly: true
{{- if include "postgresql-tenant-operator.hasOpenBaoToken" . }}
- name: openbao
  mountPath: /var/run/secrets/openbao
  readOnly: true
{{- end }}
{{- if ne .Values.hook.tls.source "none" }}
- name: hook-tls
  mountPath: /var/run/secrets/hook-tls
  readOnly: true
{{- end }}
{{- if .Values.hook.token.enabled }}
- name: hook-tokens
  mountPath: /var/run/secrets/hook
  readOnly: true
{{- end }}
{{- if include "postgresql-tenant-operator.hasCertificates" . }}
- name: certificates
  mountPath: /etc/postgresql-tenant-operator
  readOnly: true
{{- end }}
{{- end -}}

{{- define "postgresql-tenant-operator.volumes" -}}
# A token for the API server and its CA: what the default mount would bring, without the default mount.
- name: kubernetes-api
  projected:
    defaultMode: 0440
    sources:
      - serviceAccountToken:
          path: token
          expirationSeconds: 3600
      - configMap:
          name: kube-root-ca.crt
          items:
            - key: ca.crt
              path: ca.crt
{{- if include "postgresql-tenant-operator.hasOpenBaoToken" . }}
- name: openbao
  {{- if eq .Values.openbao.auth "token" }}
  secret:
    secretName: {{ .Values.openbao.tokenSecret.name | quote }}
    defaultMode: 0440
    items:
      - key: {{ .Values.openbao.tokenSecret.key | quote }}
        path: token
  {{- else }}
  # A token that only OpenBao accepts.
  projected:
    defaultMode: 0440
    sources:
      - serviceAccountToken:
          path: token
          audience: {{ .Values.openbao.audience | quote }}
          expirationSeconds: {{ int .Values.openbao.tokenExpirationSeconds }}
  {{- end }}
{{- end }}
{{- if ne .Values.hook.tls.source "none" }}
- name: hook-tls
  secret:
    secretName: {{ include "postgresql-tenant-operator.tlsSecretName" . | quote }}
    defaultMode: 0440
{{- end }}
{{- if .Values.hook.token.enabled }}
- name: hook-tokens
  secret:
    secretName: {{ .Values.hook.token.secretName | quote }}
    defaultMode: 0440
    items:
      - key: accepted
        path: tokens
{{- end }}
{{- if include "postgresql-tenant-operator.hasCertificates" . }}
- name: certificates
  projected:
    sources:
      {{- range $name := list "openbao" "postgres" }}
      {{- $ca := (get $.Values $name).ca }}
      {{- if or $ca.bundle $ca.configMap.name }}
      - configMap:
          name: {{ $ca.configMap.name | default (include "postgresql-tenant-operator.certificatesName" $) | quote }}
          items:
            - key: {{ ternary (printf "%s-ca.crt" $name) $ca.configMap.key (empty $ca.configMap.name) | quote }}
              path: {{ $name }}-ca.crt
      {{- end }}
      {{- end }}
{{- end }}
{{- end -}}
