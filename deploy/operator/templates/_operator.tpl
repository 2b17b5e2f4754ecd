{{- /* operator.all is everything that an operator needs in a cluster but its definitions. A chart that uses it has the name of its program, and in
manifests/ the objects that are generated from the code: roles, and what admits requests. The operator is the only one in its cluster, so names are
those of the program and not of the release. */ -}}
{{- define "operator.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
{{- end }}
{{- define "operator.labels" -}}
{{ include "operator.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}
{{- define "operator.metadata" -}}
name: {{ .Chart.Name }}
namespace: {{ .Release.Namespace }}
labels: {{- include "operator.labels" . | nindent 2 }}
{{- end }}
{{- define "operator.binding" }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ .kind }}Binding
metadata:
  name: {{ .name }}
  {{- if eq .kind "Role" }}
  namespace: {{ .root.Release.Namespace }}
  {{- end }}
  labels: {{- include "operator.labels" .root | nindent 4 }}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: {{ .kind }}, name: {{ .name }}}
subjects:
- {kind: ServiceAccount, name: {{ .root.Chart.Name }}, namespace: {{ .root.Release.Namespace }}}
{{- end }}
{{- define "operator.all" -}}
{{- $root := . -}}
apiVersion: v1
kind: ServiceAccount
metadata: {{- include "operator.metadata" . | nindent 2 }}
{{- range $path, $_ := .Files.Glob "manifests/*.yaml" }}
{{- range splitList "---\n" ($root.Files.Get $path) }}
{{- with . | replace $root.Values.generatedFor $root.Release.Namespace | fromYaml }}
---
{{ toYaml . }}
{{- if or (eq .kind "Role") (eq .kind "ClusterRole") }}
{{- include "operator.binding" (dict "root" $root "kind" .kind "name" .metadata.name) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- if eq .Values.metricsAuth "cluster" }}
---
# What the operator asks about those who read its metrics.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: {{ .Chart.Name }}-metrics-auth
  labels: {{- include "operator.labels" . | nindent 4 }}
rules:
- {apiGroups: [authentication.k8s.io], resources: [tokenreviews], verbs: [create]}
- {apiGroups: [authorization.k8s.io], resources: [subjectaccessreviews], verbs: [create]}
{{- include "operator.binding" (dict "root" . "kind" "ClusterRole" "name" (print .Chart.Name "-metrics-auth")) }}
---
# For whoever reads them, such as the account of Prometheus: bind it.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: {{ .Chart.Name }}-metrics-reader
  labels: {{- include "operator.labels" . | nindent 4 }}
rules:
- {nonResourceURLs: [/metrics], verbs: [get]}
{{- end }}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{- include "operator.metadata" . | nindent 2 }}
spec:
  replicas: {{ .Values.replicas }}
  selector:
    matchLabels: {{- include "operator.selector" . | nindent 6 }}
  template:
    metadata:
      labels: {{- include "operator.labels" . | nindent 8 }}
      {{- with .Values.podAnnotations }}
      annotations: {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      serviceAccountName: {{ .Chart.Name }}
      {{- with .Values.imagePullSecrets }}
      imagePullSecrets: {{- toYaml . | nindent 6 }}
      {{- end }}
      {{- with .Values.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      securityContext:
        runAsNonRoot: true
        runAsUser: 65532
        runAsGroup: 65532
        seccompProfile: {type: RuntimeDefault}
      containers:
      - name: operator
        image: {{ include "operator.image" (list . .Chart.Name) }}
        imagePullPolicy: {{ .Values.image.pullPolicy }}
        args:
        - --{{ .Values.namespaceFlag | default "namespace" }}=$(NAMESPACE)
        - --health-address=:8081
        - --metrics-address=:8080
        - --metrics-auth={{ .Values.metricsAuth }}
        {{- range $port, $number := .Values.ports }}
        - --{{ $port }}-address=:{{ $number }}
        {{- end }}
        {{- range $name, $value := .Values.flags }}
        {{- range (kindIs "slice" $value | ternary $value (list $value)) }}
        {{- $text := tpl (toString .) $root }}
        {{- if $text }}
        - {{ printf "--%s=%s" $name $text | quote }}
        {{- end }}
        {{- end }}
        {{- end }}
        env:
        - {name: NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
        {{- with .Values.env }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
        ports:
        - {name: metrics, containerPort: 8080}
        - {name: health, containerPort: 8081}
        {{- range $port, $number := .Values.ports }}
        - {name: {{ $port }}, containerPort: {{ $number }}}
        {{- end }}
        livenessProbe: {httpGet: {path: /healthz, port: health}, initialDelaySeconds: 10, failureThreshold: 3}
        readinessProbe: {httpGet: {path: /readyz, port: health}, periodSeconds: 5}
        resources: {{- toYaml .Values.resources | nindent 10 }}
        securityContext:
          allowPrivilegeEscalation: false
          readOnlyRootFilesystem: true
          capabilities: {drop: [ALL]}
      {{- range $key := list "nodeSelector" "tolerations" "affinity" }}
      {{- with index $root.Values $key }}
      {{ $key }}: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- end }}
---
apiVersion: v1
kind: Service
metadata: {{- include "operator.metadata" . | nindent 2 }}
spec:
  selector: {{- include "operator.selector" . | nindent 4 }}
  ports:
  - {name: metrics, port: 8080, targetPort: metrics}
  {{- range $port, $number := .Values.ports }}
  - {name: {{ $port }}, port: {{ eq $port "webhook" | ternary 443 $number }}, targetPort: {{ $port }}}
  {{- end }}
---
# The operator is asked for its metrics and health, and at the ports of its own; nothing else reaches it. It reaches names, the API server and
# what its values list.
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {{- include "operator.metadata" . | nindent 2 }}
spec:
  podSelector:
    matchLabels: {{- include "operator.selector" . | nindent 6 }}
  policyTypes: [Ingress{{ if .Values.egress.enabled }}, Egress{{ end }}]
  ingress:
  - ports:
    - {port: metrics}
    - {port: health}
    {{- range $port, $number := .Values.ports }}
    - {port: {{ $port }}}
    {{- end }}
  {{- if .Values.egress.enabled }}
  egress:
  - ports: [{port: 53, protocol: UDP}, {port: 53}]
  - ports:
    {{- range .Values.egress.ports }}
    - {port: {{ . }}}
    {{- end }}
  {{- with .Values.egress.rules }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- end }}
{{- if gt (int .Values.replicas) 1 }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {{- include "operator.metadata" . | nindent 2 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels: {{- include "operator.selector" . | nindent 6 }}
{{- end }}
{{- with .Values.serviceMonitor }}
{{- if .enabled }}
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {{- include "operator.metadata" $root | nindent 2 }}{{- with .labels }}{{- toYaml . | nindent 4 }}{{- end }}
spec:
  selector:
    matchLabels: {{- include "operator.selector" $root | nindent 6 }}
  endpoints:
  - port: metrics
    interval: {{ .interval }}
    {{- if eq $root.Values.metricsAuth "cluster" }}
    scheme: https
    tlsConfig: {insecureSkipVerify: true}
    bearerTokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token
    {{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- /* operator.image is the reference of one of the images of a chart: its root and the name. */ -}}
{{- define "operator.image" -}}
{{- with index . 0 -}}
{{ .Values.image.registry }}/{{ index $ 1 }}:{{ .Values.image.tag | default (printf "v%s" .Chart.AppVersion) }}
{{- end -}}
{{- end }}
