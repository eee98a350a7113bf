{{- define "client.devicePluginNamespace" -}}
{{ ((.Values.gpu).devicePlugin).namespace | default "kube-system" }}
{{- end -}}

{{- define "client.devicePluginName" -}}
{{- $vendor := ((.Values.gpu).devicePlugin).vendor -}}
{{- $names := dict "nvidia" "nvidia-device-plugin-daemonset" "amd" "amdgpu-device-plugin-daemonset" -}}
{{- if not (hasKey $names (toString $vendor)) -}}
{{- fail (printf "gpu.devicePlugin.vendor is %q; allowed: nvidia, amd" (toString $vendor)) -}}
{{- end -}}
{{- get $names $vendor -}}
{{- end -}}

{{/*
What becomes of the GPU device plugin: empty when none is asked for, `ours` when the release runs it, `theirs` when the
cluster has one that Helm does not count to this release. Two of them would contend for the kubelet's socket, and Helm
refuses to import one (client#564): it goes on serving, and the notes say how it is adopted.
*/}}
{{- define "client.devicePlugin" -}}
{{- if ((.Values.gpu).devicePlugin).enabled -}}
{{- $found := lookup "apps/v1" "DaemonSet" (include "client.devicePluginNamespace" .) (include "client.devicePluginName" .) -}}
{{- if and $found (not (include "client.owns" (list . $found))) }}theirs{{ else }}ours{{ end -}}
{{- end -}}
{{- end -}}
