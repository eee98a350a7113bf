{{/* Who may submit ingestion runs: the policy that the jobs manager reads. No entry denies all. */}}
{{- define "client.ingestionAuthz" -}}
{{- $allowed := list -}}
{{- range (.Values.ingestionAuthz).allowed -}}
{{- $account := .service_account | default (include "client.ingestorServiceAccount" $) -}}
{{- $namespace := .namespace | default $.Release.Namespace -}}
{{- $allowed = append $allowed (dict "service_account" $account "namespace" $namespace "table_prefixes" (.table_prefixes | default list)) -}}
{{- end -}}
{{- dict "allowed" $allowed | toYaml -}}
{{- end -}}
