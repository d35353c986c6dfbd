{{/* The groups of files/monitoring/alerts.yaml, with what the values leave out and add. */}}
{{- define "postgresql-tenant-operator.alertGroups" -}}
{{- $values := .Values.metrics.prometheusRule -}}
{{- $disabled := $values.disabledAlerts | default list -}}
{{- $unknown := $disabled -}}
{{- $groups := list -}}
{{- range (.Files.Get "files/monitoring/alerts.yaml" | fromYaml).groups -}}
{{- $rules := list -}}
{{- range $rule := .rules -}}
{{- $unknown = without $unknown $rule.alert -}}
{{- if not (has $rule.alert $disabled) -}}
{{- $_ := set $rule "labels" (mergeOverwrite $rule.labels ($values.alertLabels | default dict)) -}}
{{- with $values.runbookBaseUrl -}}
{{- $_ := set $rule.annotations "runbook_url" (printf "%s#%s" . (lower $rule.alert)) -}}
{{- end -}}
{{- $rules = append $rules $rule -}}
{{- end -}}
{{- end -}}
{{- if and $rules (or $values.conditionAlerts (ne .name "pgtenancy-conditions")) -}}
{{- $groups = append $groups (dict "name" .name "rules" $rules) -}}
{{- end -}}
{{- end -}}
{{- if $unknown -}}
{{- fail (printf "metrics.prometheusRule.disabledAlerts: there is no alert %s" (join ", " $unknown)) -}}
{{- end -}}
{{- toYaml $groups -}}
{{- end -}}
