import BrasaStore

/// How little the past may take in one simulation. With room enough nothing is ever forgotten that somebody still asks for.
struct HistoryPressure {
    let clients: Int
    /// Superseded versions go soon after they are made.
    var isHigh: Bool { self.bytesMax < Self.room }

    private let bytesMax: Int
    private let keptMin: Duration

    private static let room = 1 << 20
    /// What one commit can change at most: every document there is.
    private static let changesOfCommitMax = ModelWorld.names.count

    init(clientsMax: Int, _ random: inout SeededRandom) {
        self.clients = Int.random(in: min(3, clientsMax)...clientsMax, using: &random)
        self.bytesMax = [0, 512, 4 << 10, Self.room].randomElement(using: &random) ?? 0
        self.keptMin = [.zero, .milliseconds(10), .seconds(1)].randomElement(using: &random) ?? .zero
    }

    func apply(to store: inout Store.Configuration) {
        store.historyBytesMax = self.bytesMax
        store.historyMin = self.keptMin
        // A checkpoint keeps its moment's history, pressure or not.
        if self.isHigh { store.checkpointBytesMin *= 8 }
        // As few as it takes for the checker to follow what becomes durable: a commit of each client may be on its way.
        store.recentChangesMax = self.clients * Self.changesOfCommitMax
        store.recentTreeStepsMax = 8
    }
}
