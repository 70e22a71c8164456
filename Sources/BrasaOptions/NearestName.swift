/// What somebody meant who wrote a name that there is not.
package enum NearestName {
    /// The name from which the fewest letters were left out, added, replaced or swapped; nil when there are none.
    package static func of(_ written: some StringProtocol, among names: [String]) -> String? {
        let letters = Array(written.prefix(self.lettersMax))
        return names.min { self.distance(letters, Array($0)) < self.distance(letters, Array($1)) }
    }

    /// Nobody means a known name by more.
    private static let lettersMax = 64

    private static func distance(_ one: [Character], _ other: [Character]) -> Int {
        var before: [Int] = []
        var last = Array(0...other.count)
        for (row, letter) in one.enumerated() {
            var current = [row + 1]
            for (column, wanted) in other.enumerated() {
                var least = min(last[column] + (letter == wanted ? 0 : 1), last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, letter == other[column - 1], wanted == one[row - 1] {
                    least = min(least, before[column - 1] + 1)
                }
                current.append(least)
            }
            (before, last) = (last, current)
        }
        return last[other.count]
    }
}
