/// Finds out that a query looks at far more than it returns, so that indexes are asked for. Small collections never get
/// there.
struct IndexAdviser: Sendable {
    private var isDone = false

    private static let examinedMin = 64
    private static let ratio = 4

    /// `found` counts results given out and those that are held to be. Whether to ask for indexes now; true once.
    mutating func isAsking(examined: Int, found: Int) -> Bool {
        guard !self.isDone, examined > Self.examinedMin, examined > Self.ratio * found else { return false }
        self.isDone = true
        return true
    }
}
