// SPDX-License-Identifier: Apache-2.0

package capiv1beta2

import "strings"

// endings of plurals, as github.com/gobuffalo/flect v1.0.3 forms them; the first that fits counts. A word without one of them
// gets an "s". Rare words that no kind is named after are left out.
const endings = `
person people, child children, human humans, man men, mouse mice, goose geese, tooth teeth, foot feet, quiz quizzes, thief thieves,
index indices, vertex vertices, appendix appendices, trix trices, codex codices, helix helices, apex apices,
axis axes, oasis oases, basis bases, thesis theses, crisis crises, synopsis synopses, ysis yses,
criterion criteria, phenomenon phenomena, radius radii, nucleus nuclei, locus loci, focus foci, alias aliases,
museum museums, stadium stadiums, curriculum curriculums, ium ia, dum da, atum ata, itum ita, ctum cta, etum eta, trum tra, brum bra, imum ima, ilum ila,
money money, equipment equipment, information information, rice rice, fish fish, sheep sheep, deer deer, salmon salmon, aircraft aircraft,
police police, bison bison, moose moose, swine swine, trout trout, shrimp shrimp, beef beef, taxa taxa,
quota quotas, formula formulas, nebula nebulae, agenda agendas, pizza pizzas, regatta regattas,
da da, ea ea, ia ia, oa oa, ela ela, ila ila, lla lla, ola ola, ula ula, yla yla, ima ima, gna gna, bra bra, cra cra, tra tra,
ata ata, cta cta, eta eta, ita ita, ota ota, uta uta, ova ova, erna erna, tuna tuna, sera sera, anta anta, enta enta,
dwarf dwarfs, lf lves, rf rves, eaf eaves, oaf oaves, fe ves,
io ios, lo los, oo oos, to tos, o oes, ay ays, ey eys, oy oys, guy guys, buy buys, quy quies, uy uys, y ies,
ss sses, us uses, s s, x xes, ch ches, sh shes, tz tzes, zz zzes, ez ezzes, iz izzes`

// plural is the English plural of a kind. Endings are in lower case, but for the first letter of a word.
func plural(kind string) string {
	for ending := range strings.SplitSeq(endings, ",") {
		one, many, _ := strings.Cut(strings.TrimSpace(ending), " ")
		at := len(kind) - len(one)
		if at < 0 || kind[at]|0x20 != one[0] || kind[at+1:] != one[1:] || len(one) < 3 && kind[at] != one[0] {
			continue
		}
		same := 0 // what both begin with keeps its casing
		for same < len(one) && same < len(many) && one[same] == many[same] {
			same++
		}
		return kind[:at+same] + capital(kind, at+same, many[same:])
	}
	if strings.HasSuffix(kind, "S") {
		return kind + "es"
	}
	return kind + "s"
}

// capital returns the first letter of the ending the case of the letter that it replaces.
func capital(kind string, at int, ending string) string {
	if at < len(kind) && 'A' <= kind[at] && kind[at] <= 'Z' && ending != "" {
		return strings.ToUpper(ending[:1]) + ending[1:]
	}
	return ending
}
