// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"
)

// ErrInexact is a number that RFC 8785 has no form for.
var ErrInexact = errors.New("it is not a double, and readers of JSON round it: write it as a string")

// longest is the length of a number that is looked at.
const longest = 400

// Exact returns an [ErrInexact] that names the first number of a JSON text that is not exactly a double, such as most integers above 2^53:
// two of them would be one number to whoever reads them as RFC 8785 does, Helm among them.
func Exact(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if n, ok := token.(json.Number); ok && !exact(string(n)) {
			return fmt.Errorf("number %.40s: %w", n, ErrInexact)
		}
	}
}

func exact(n string) bool {
	f, err := strconv.ParseFloat(n, 64)
	if err != nil || len(n) > longest {
		return false
	}
	if f == 0 { // also of a number that is too small for a double
		digits, _, _ := strings.Cut(strings.ToLower(n), "e")
		return strings.Trim(digits, "-0.") == ""
	}
	have, ok1 := new(big.Rat).SetString(n)
	read, ok2 := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	return ok1 && ok2 && have.Cmp(read) == 0
}
