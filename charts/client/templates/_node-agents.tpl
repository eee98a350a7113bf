{{/* "true" unless switched off: an agent on every node that tells its load. */}}
{{- define "client.resourceMonitor" -}}
{{- if ne (toString .Values.resourceMonitor) "false" }}true{{ end -}}
{{- end -}}

{{- define "client.resourceMonitorName" -}}{{ .Release.Name }}-resource-monitor{{- end -}}

{{- define "client.nodeAgentsNamespace" -}}
{{ ((.Values.nodeAgents).namespace).name | default "tracebloc-node-agents" }}
{{- end -}}

{{/* "true" when the release runs agents on the nodes. The one place that knows them all (backend#1906). */}}
{{- define "client.hasNodeAgents" -}}
{{- if or (include "client.resourceMonitor" .) (include "client.telemetryCollector" .) }}true{{ end -}}
{{- end -}}

{{/* The namespace of the agents where they have one of their own, which then needs its copies of Secrets and rights. */}}
{{- define "client.nodeAgentsApart" -}}
{{- $namespace := include "client.nodeAgentsNamespace" . -}}
{{- if and (include "client.hasNodeAgents" .) (ne $namespace .Release.Namespace) }}{{ $namespace }}{{ end -}}
{{- end -}}

{{/* (list root object): "true" when Helm counts an object of the cluster to this release. */}}
{{- define "client.owns" -}}
{{- $release := (index . 0).Release -}}
{{- $annotations := ((index . 1).metadata).annotations | default dict -}}
{{- if and (eq (get $annotations "meta.helm.sh/release-name") $release.Name) (eq (get $annotations "meta.helm.sh/release-namespace") $release.Namespace) }}true{{ end -}}
{{- end -}}

{{/* "true" when templates can ask a cluster. `helm template` cannot: there every object seems to be missing. */}}
{{- define "client.seesCluster" -}}
{{- if lookup "v1" "Namespace" "" "kube-system" }}true{{ end -}}
{{- end -}}

{{/*
"true" when the release makes the agents' namespace. One that is there and not this release's stays as it is: made by hand,
or kept from an older release, since Helm would refuse the whole installation for it. It must then admit the agents.
*/}}
{{- define "client.makesNodeAgentsNamespace" -}}
{{- $name := include "client.nodeAgentsApart" . -}}
{{- if $name -}}
{{- $create := ne (toString ((.Values.nodeAgents).namespace).create) "false" -}}
{{- $found := lookup "v1" "Namespace" "" $name -}}
{{- if not $found -}}
{{- if $create -}}
true
{{- else if include "client.seesCluster" . -}}
{{- fail (printf "nodeAgents.namespace.create is false and namespace %s does not exist; make it: kubectl create namespace %s && kubectl label namespace %s pod-security.kubernetes.io/enforce=privileged" $name $name $name) -}}
{{- end -}}
{{- else if and $create (include "client.owns" (list . $found)) -}}
true
{{- else -}}
{{- $profile := get ($found.metadata.labels | default dict) "pod-security.kubernetes.io/enforce" | default "privileged" -}}
{{- if ne $profile "privileged" -}}
{{- fail (printf "nodeAgents.namespace.name: namespace %s enforces the Pod Security profile %s, which admits no agent; allow it: kubectl label --overwrite namespace %s pod-security.kubernetes.io/enforce=privileged" $name $profile $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Kernel file systems that every node shall know before the agent starts, separated by spaces. */}}
{{- define "client.filesystems" -}}
{{- $wanted := (.Values.nodePrep).filesystems | default list -}}
{{- if and $wanted (not (include "client.resourceMonitor" .)) -}}
{{- fail "nodePrep.filesystems is done by the resource monitor's pods, and resourceMonitor is false; set it to true, or empty the list" -}}
{{- end -}}
{{- join " " $wanted -}}
{{- end -}}

{{/*
The agent reads the metrics API and says nothing without it: the installation is the one place where a person notices
(client#553). Only a cluster that answers is held to it.
*/}}
{{- define "client.requireMetrics" -}}
{{- if and (include "client.seesCluster" .) (not (lookup "apiregistration.k8s.io/v1" "APIService" "" "v1beta1.metrics.k8s.io")) -}}
{{- fail "resourceMonitor needs the metrics API (v1beta1.metrics.k8s.io), and this cluster has none: install metrics-server, or set resourceMonitor to false" -}}
{{- end -}}
{{- end -}}

{{- define "client.telemetryCollector" -}}
{{- if (.Values.telemetryCollector).enabled }}true{{ end -}}
{{- end -}}
