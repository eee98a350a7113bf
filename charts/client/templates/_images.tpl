{{/*
What an image is where values say nothing. Kept here: a release of the chart before this one has no such keys, and an
upgrade with --reuse-values brings none. The tags of a `pinned` one never move.
*/}}
{{- define "client.imageDefaults" -}}
jobsManager: { repository: tracebloc/jobs-manager, tag: {{ include "client.clientEnv" . }} }
podsMonitor: { repository: tracebloc/pods-monitor, tag: {{ include "client.clientEnv" . }} }
mysqlClient: { repository: tracebloc/mysql-client, tag: prod, pinned: true }
resourceMonitor: { repository: tracebloc/resource-monitor, tag: {{ include "client.clientEnv" . }} }
busybox: { repository: library/busybox, tag: "1.35", pinned: true }
squid: { repository: ubuntu/squid, tag: 6.6-24.04_beta, pinned: true }
helm: { repository: alpine/helm, tag: 3.16.4, pinned: true }
kubectl: { repository: alpine/k8s, tag: 1.30.5, pinned: true }
curl: { repository: curlimages/curl, tag: 8.20.0, pinned: true }
collector: { repository: otel/opentelemetry-collector-contrib, tag: 0.159.0, pinned: true }
nvidia: { registry: nvcr.io, repository: nvidia/k8s-device-plugin, tag: v0.14.5, pinned: true }
amd: { repository: rocm/k8s-device-plugin, tag: latest }
{{- end -}}

{{/* Images that values name beside what runs them, as the charts before did. */}}
{{- define "client.imagesElsewhere" -}}
{{- $places := dict "squid" (.Values.egressProxy).image "helm" (.Values.autoUpgrade).image "kubectl" (.Values.imageRefresh).image -}}
{{- $plugin := (.Values.gpu).devicePlugin | default dict -}}
{{- merge $places (dict "nvidia" $plugin.nvidia "amd" $plugin.amd "collector" (.Values.telemetryCollector).image) | toYaml -}}
{{- end -}}

{{/* (list root "busybox"): registry, repository, tag, digest and pinned of an image, as a map. Empty values count as absent. */}}
{{- define "client.imageSource" -}}
{{- $root := index . 0 -}}
{{- $source := dict -}}
{{- $key := index . 1 -}}
{{- $images := merge (dict) ($root.Values.images | default dict) (include "client.imagesElsewhere" $root | fromYaml) -}}
{{- $layers := list (get $images $key | default dict) -}}
{{- if eq $key "requestsProxy" -}}
{{- $key = "jobsManager" -}}
{{- $layers = append $layers (get $images $key | default dict) -}}
{{- end -}}
{{- range append $layers (get (include "client.imageDefaults" $root | fromYaml) $key | default dict) -}}
{{- range $field, $value := . -}}
{{- if and $value (not (hasKey $source $field)) }}{{ $_ := set $source $field (toString $value) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- toYaml $source -}}
{{- end -}}

{{/* (list root "ghcr.io"): where an image comes from. The mirror replaces the registry; people paste it with a scheme and a slash. */}}
{{- define "client.registry" -}}
{{- $mirror := ((index . 0).Values.global).imageRegistry | default "" | trim -}}
{{- $registry := $mirror | default (index . 1) | default "docker.io" -}}
{{- regexReplaceAll "^[A-Za-z][A-Za-z0-9+.-]*://|/+$" $registry "" -}}
{{- end -}}

{{/* (list root "busybox"): the image of a container. A digest wins over a tag, the mirror over the image's own registry. */}}
{{- define "client.image" -}}
{{- $source := include "client.imageSource" . | fromYaml -}}
{{- include "client.registry" (list (index . 0) $source.registry) }}/{{ $source.repository -}}
{{- if $source.digest }}@{{ $source.digest }}{{ else }}:{{ $source.tag }}{{ end -}}
{{- end -}}

{{/* (list root "busybox"): what is pinned is never asked for again, so that a machine without network can restart (client#569). */}}
{{- define "client.pullPolicy" -}}
{{- $source := include "client.imageSource" . | fromYaml -}}
{{- $policy := "Always" -}}
{{- if or $source.digest $source.pinned }}{{ $policy = "IfNotPresent" }}{{ end -}}
{{- /* Moved on by a job instead, to digests. */ -}}
{{- $root := index . 0 -}}
{{- if and ($root.Values.imageRefresh).enabled (ne (index . 1) "amd") (eq "docker.io" (include "client.registry" (list $root $source.registry))) -}}
{{- $policy = "IfNotPresent" -}}
{{- end -}}
{{- (index . 0).Values.imagePullPolicy | default $policy -}}
{{- end -}}

{{/* (list root "busybox"): image and policy, as a container names them. */}}
{{- define "client.containerImage" -}}
image: {{ include "client.image" . | quote }}
imagePullPolicy: {{ include "client.pullPolicy" . }}
{{- end -}}

{{/* What a pod of any namespace says about it. Namespaces besides the release's get a copy of the Secret that the chart makes. */}}
{{- define "client.imagePullSecrets" -}}
{{- with include "client.pullSecretName" . -}}
imagePullSecrets:
  - name: {{ . | quote }}
{{- end -}}
{{- end -}}

{{/* The Secret that pods pull with, or nothing. Pods and the jobs they start share it (backend#2119). */}}
{{- define "client.pullSecretName" -}}
{{- $registry := .Values.dockerRegistry | default dict -}}
{{- if and $registry.create $registry.existingSecret -}}
{{- fail "dockerRegistry.create and dockerRegistry.existingSecret exclude each other; keep one of them" -}}
{{- end -}}
{{- if $registry.create }}{{ .Release.Name }}-regcred{{ else }}{{ $registry.existingSecret | default "" }}{{ end -}}
{{- end -}}

{{/* The image that ingestion starts from, as a map. A mirror holds it unless values name a repository of their own. */}}
{{- define "client.ingestorImage" -}}
{{- $ingestor := (.Values.images).ingestor | default dict -}}
{{- $ours := "ghcr.io/tracebloc/ingestor" -}}
{{- $repository := $ingestor.repository | default $ours -}}
{{- if eq $repository $ours -}}
{{- $repository = printf "%s/tracebloc/ingestor" (include "client.registry" (list . "ghcr.io")) -}}
{{- end -}}
{{- $channel := include "client.clientEnv" . -}}
{{- $digest := $ingestor.digest -}}
{{- if and (eq $channel "prod") (ne (toString $ingestor.prodPin) "false") -}}
{{- $digest = $digest | default $ingestor.prodDigest -}}
{{- end -}}
repository: {{ $repository | quote }}
tag: {{ $ingestor.tag | default (get ($ingestor.channelTags | default dict) $channel) | default (ternary "0.8" $channel (eq $channel "prod")) | toString | quote }}
digest: {{ $digest | default "" | quote }}
{{- end -}}

{{/* The MySQL that the image is, as far as its reference tells: 5.7, 8.0, 8.4 or unknown. */}}
{{- define "client.mysqlEngine" -}}
{{- $source := include "client.imageSource" (list . "mysqlClient") | fromYaml -}}
{{- if $source.digest -}}
{{- eq $source.digest "sha256:f546e47fb339e0982c902cef063b081ccf2cbbaf35b475287d583b9bf3163354" | ternary "5.7" "unknown" -}}
{{- else if eq $source.tag "prod" -}}
5.7
{{- else -}}
{{- regexFind "^(5\\.7|8\\.0|8\\.4)" $source.tag | default "unknown" -}}
{{- end -}}
{{- end -}}
