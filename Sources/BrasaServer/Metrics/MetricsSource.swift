import BrasaGRPC
import BrasaHTTP2
import BrasaIdentity
import BrasaMeasures
import BrasaStatus
import BrasaTreeSocket
import Synchronization

/// Where a page of metrics comes from. It is made anew each time it is asked for.
final class MetricsSource: Sendable {
    private let engine: Engine
    private let budget: ByteBudget
    private let refusals: ConnectionRefusals
    private let connections: ConnectionCount
    private let endings: ConnectionLog
    private let tokens: RefusalLog
    private let callers: CallerBounds
    private let polls: PollTable
    /// One for each event loop.
    private let servers = Mutex<[GRPCServer]>([])

    init(
        engine: Engine,
        budget: ByteBudget,
        refusals: ConnectionRefusals,
        connections: ConnectionCount,
        endings: ConnectionLog,
        tokens: RefusalLog,
        callers: CallerBounds,
        polls: PollTable
    ) {
        self.engine = engine
        self.budget = budget
        self.refusals = refusals
        self.connections = connections
        self.endings = endings
        self.tokens = tokens
        self.callers = callers
        self.polls = polls
    }

    func add(_ server: GRPCServer) { self.servers.withLock { $0.append(server) } }

    var page: MetricsPage {
        var page = MetricsPage()
        self.engine.add(to: &page)
        let servers = self.servers.withLock { $0 }
        page.add(self.sum(servers.map(\.callSeries)), started: servers.reduce(0) { $0 + $1.callsStarted })
        page.add(self.connections)
        page.add(self.endings)
        page.add(self.budget)
        page.add(self.refusals)
        page.add(self.tokens)
        page.add(self.callers)
        page.add(self.polls)
        page.addProcess()
        return page
    }

    /// In the order of methods and statuses, each once.
    private func sum(_ lists: [[GRPCCallSeries]]) -> [GRPCCallSeries] {
        struct Key: Hashable {
            let method: String?
            let status: StatusCode
        }
        var places: [Key: Int] = [:]
        var sum: [GRPCCallSeries] = []
        for series in lists.joined() {
            let key = Key(method: series.method?.path, status: series.status)
            if let place = places[key] {
                sum[place].durations += series.durations
            } else {
                places[key] = sum.count
                sum.append(series)
            }
        }
        return sum
    }
}
