/// How many entries a cursor fetches at a time.
struct FetchPace: Sendable {
    let first: Int
    /// What the following fetches grow to.
    let most: Int
    /// About how many bytes their keys may have.
    let keyBytesMax: Int

    /// What a cursor fetches at a time, and what all sources of a merge have fetched together, at most. Each source may
    /// fetch `least`, however many there are.
    static let entriesMax = 256
    private static let mostOfAll = 2048
    private static let least = 4
    private static let keyBytesMax = 64 << 10
    private static let keyBytesMaxOfAll = 2 << 20

    /// For one of several sources that give about the same number of results. `limit` is how many are wanted of all,
    /// nil if that is not known.
    init(limit: Int?, sourceCount: Int) {
        let sourceCount = max(sourceCount, 1)
        let most = min(max(Self.mostOfAll / sourceCount, Self.least), Self.entriesMax)
        self.keyBytesMax = min(Self.keyBytesMaxOfAll / sourceCount, Self.keyBytesMax)
        guard let limit, limit < Self.mostOfAll else {
            self.first = max(most / 16, Self.least)
            self.most = most
            return
        }
        // A little more than its share for the first time, a little for the sources that have more of the results.
        let share = limit / sourceCount
        self.first = min(sourceCount > 1 ? share + 3 : max(limit, 1), most)
        self.most = min(share / 2 + 3, most)
    }
}
