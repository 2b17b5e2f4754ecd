// SPDX-License-Identifier: Apache-2.0

package conditions

// merger merges inputs one after another. It keeps its memory, so that a pass can merge without allocating; of inputs that
// are healthy it keeps nothing but their number.
type merger struct {
	o               *MergeOptions
	grouped, causes bool

	entries   pile[rated]
	keys      []sortKey // memory of sortFleet
	rated     []*rated  // the inputs that are not healthy; worst first once sorted
	offered   int       // inputs
	counted   int       // inputs that count
	completed int       // inputs that are healthy
	reported  bool      // one of the inputs that count exists
	decided   bool      // top is set
	top       rated     // the one that decides in profile capi-v1beta1
	buf       textBuffer
	lines     lines // profile capi-v1beta2
}

// merge merges a list of inputs.
func (m *merger) merge(in []Input, o *MergeOptions, grouped, causes bool) (Merged, bool) {
	m.start(o, grouped, causes)
	for i := range in {
		m.offer(&in[i])
	}
	return m.finish()
}

// start forgets earlier inputs. A grouped merge is one over many objects, whose order does not matter.
func (m *merger) start(o *MergeOptions, grouped, causes bool) {
	m.o, m.grouped, m.causes = o, grouped, causes && !o.NoCauses
	m.forget()
	m.offered, m.counted, m.completed, m.reported, m.decided = 0, 0, 0, false, false
}

// forget keeps nothing alive that was added.
func (m *merger) forget() {
	clear(m.rated)
	m.rated = m.rated[:0]
	m.entries.reset()
	m.top = rated{}
}

// offer takes an input in, which is kept until finish where it matters.
func (m *merger) offer(in *Input) {
	if m.o.onlyCounted(in) {
		m.addHealthy(1)
		return
	}
	m.add(unrated(in))
}

// add takes in an input that is not only counted, and reports whether it is kept until finish.
func (m *merger) add(r rated) bool {
	m.offered++
	capi := m.o.Profile == ProfileCAPIv1beta1
	if capi && !r.rateCAPI(m.o) || !capi && !r.rate(m.o.Missing) {
		return false
	}
	m.counted++
	r.index = int32(m.offered)
	m.reported = m.reported || r.condition != nil
	if r.weight == weightHealthy && r.severity() == SeverityNone {
		m.completed++
	}
	decides := capi && (!m.decided || before(&r, &m.top, m.o.Exact, m.grouped))
	if decides {
		m.top, m.decided = r, true
	}
	if r.weight == weightHealthy && m.o.Profile != ProfileCAPIv1beta2 || capi && !m.causes {
		return decides
	}
	entry := m.entries.next()
	*entry = r
	m.rated = append(m.rated, entry)
	return true
}

// onlyCounted reports whether nothing needs to be known about the input but that it is healthy.
func (o *MergeOptions) onlyCounted(in *Input) bool {
	if in.Condition == nil || in.Stale || !fine(in.Condition.Status, in.Polarity) {
		return false
	}
	if o.Profile == ProfileCAPIv1beta2 {
		return in.Condition.Message == ""
	}
	return !o.Exact
}

// addHealthy takes in inputs of which nothing needs to be known but that they are healthy.
func (m *merger) addHealthy(n int) {
	m.offered += n
	m.counted += n
	m.completed += n
	m.reported = m.reported || n > 0
}

// finish returns the result.
func (m *merger) finish() (Merged, bool) {
	switch m.o.Profile {
	case ProfileCAPIv1beta1:
		return m.finishCAPI()
	case ProfileCAPIv1beta2:
		return m.finishCAPIv1beta2()
	case ProfileKnative, ProfileOperatorpkg:
		return m.finishRoot()
	}
	return m.finishNative()
}

// unhealthy reports whether the status is the bad one for the polarity. Unknown is never unhealthy.
func unhealthy(s Status, p Polarity) bool {
	switch p {
	case Negative:
		return s == True
	case Neutral:
		return false
	}
	return s == False
}

// fine reports whether the status is the good one for the polarity.
func fine(s Status, p Polarity) bool {
	switch p {
	case Positive:
		return s == True
	case Negative:
		return s == False
	case Neutral:
		return false
	}
	return s == True
}

// statusOf returns the status of a weight for a polarity.
func statusOf(w weight, p Polarity) Status {
	switch {
	case w == weightUnknown:
		return Unknown
	case (w == weightUnhealthy) == (p == Negative):
		return True
	}
	return False
}
