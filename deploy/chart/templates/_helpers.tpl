{{- define "tristate.name" -}}
{{- if contains "tristate" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-tristate" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}
{{- define "tristate.selector" -}}
app.kubernetes.io/name: tristate
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "tristate.labels" -}}
{{ include "tristate.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}
{{- define "tristate.serve.selector" -}}
app.kubernetes.io/name: tristate-serve
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "tristate.serve.labels" -}}
{{ include "tristate.serve.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}
