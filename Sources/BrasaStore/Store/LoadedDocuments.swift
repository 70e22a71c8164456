/// Sorts what recovery has read. A checkpoint is in order already; what a log adds to it is sorted on several threads when
/// it is much, and merged with it.
enum LoadedDocuments {
    static let parallelMin = 100_000

    /// One thread merges what these have sorted, and looks at the head of each one's part for every document: with more of
    /// them it would take longer than they save.
    private static let threads = 4

    static func sorted(_ chains: [DocumentChain], parallelMin: Int = Self.parallelMin) -> [DocumentChain] {
        let ordered = self.orderedCount(chains)
        guard ordered < chains.count else { return chains }
        let rest = chains[ordered...]
        guard rest.count >= parallelMin else {
            return self.merged([chains[..<ordered], rest.sorted { $0.path < $1.path }[...]])
        }
        let size = (rest.count - 1) / Self.threads + 1
        let runs = stride(from: ordered, to: chains.count, by: size).map { chains[$0..<min($0 + size, chains.count)] }
        return self.merged([chains[..<ordered]] + self.sorted(runs).map { $0[...] })
    }

    /// How many of the first ones are in order.
    private static func orderedCount(_ chains: [DocumentChain]) -> Int {
        for index in chains.indices.dropFirst() where chains[index].path < chains[index - 1].path { return index }
        return chains.count
    }

    private static func sorted(_ runs: [ArraySlice<DocumentChain>]) -> [[DocumentChain]] {
        Crew(name: "brasa-sort", threads: self.threads).map(runs.count) { index in
            runs[index].sorted { $0.path < $1.path }
        }
    }

    private static func merged(_ runs: [ArraySlice<DocumentChain>]) -> [DocumentChain] {
        var merged: [DocumentChain] = []
        merged.reserveCapacity(runs.reduce(0) { $0 + $1.count })
        var rest = runs
        while true {
            var least: (run: Int, head: DocumentChain)?
            for (index, run) in rest.enumerated() {
                guard let head = run.first, least.map({ head.path < $0.head.path }) ?? true else { continue }
                least = (index, head)
            }
            guard let (run, head) = least else { return merged }
            merged.append(head)
            rest[run].removeFirst()
        }
    }
}
