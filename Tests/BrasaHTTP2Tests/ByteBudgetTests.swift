import NIOCore
import Testing

@testable import BrasaHTTP2

@Suite struct ByteBudgetTests {
    private static let piece = ByteAccount.pieceBytes

    private func accounts(_ count: Int, _ budget: ByteBudget) -> [ByteAccount] {
        (0..<count).map { _ in
            let account = ByteAccount(budget)
            account.open()
            return account
        }
    }

    @Test func `An open connection draws a piece, and little more for little`() {
        let budget = ByteBudget(bytesMax: 1 << 20)
        let account = self.accounts(1, budget)[0]
        #expect(budget.drawnBytes == Self.piece)
        #expect(account.add(Self.piece))
        #expect(budget.drawnBytes == Self.piece)
        #expect(account.add(1))
        #expect(budget.drawnBytes == 2 * Self.piece)
        account.remove(Self.piece + 1)
        #expect(budget.drawnBytes == Self.piece)
        account.close()
        #expect(budget.drawnBytes == 0)
    }

    @Test(arguments: [1, 2, 9, 40])
    func `Connections that take what they can get share alike and leave a share`(_ count: Int) {
        let budget = ByteBudget(bytesMax: 64 << 20)
        let accounts = self.accounts(count, budget)
        var isGranted = true
        while isGranted {
            isGranted = false
            for account in accounts where account.hasRoom(for: 1000) {
                account.add(1000)
                isGranted = true
            }
        }
        let share = budget.bytesMax / (count + 1)
        for account in accounts { #expect(abs(account.usedBytes - share) <= 2 * Self.piece) }
        #expect(abs(budget.bytesMax - budget.drawnBytes - share) <= (count + 1) * 2 * Self.piece)
    }

    @Test func `What is kept in any case is drawn to the byte and given back`() {
        let budget = ByteBudget(bytesMax: 10 * Self.piece)
        let account = self.accounts(1, budget)[0]
        #expect(!account.add(20 * Self.piece + 7))
        #expect(budget.drawnBytes == 20 * Self.piece + 7)
        #expect(!account.hasRoom(for: 1))
        account.remove(20 * Self.piece)
        #expect(account.hasRoom(for: 1))
        #expect(budget.drawnBytes == Self.piece)
        account.remove(7)
        account.close()
        #expect(budget.drawnBytes == 0)
    }

    @Test func `An account that is closed counts nothing`() {
        let budget = ByteBudget(bytesMax: 1 << 20)
        let account = self.accounts(1, budget)[0]
        account.close()
        #expect(!account.hasRoom(for: 1))
        #expect(!account.add(100_000))
        #expect(budget.drawnBytes == 0)
        account.remove(100_000)
        account.close()
        #expect(account.usedBytes == 0)
        #expect(budget.drawnBytes == 0)
    }

    @Test func `The end of what was kept in any case ends what was granted for it`() {
        let budget = ByteBudget(bytesMax: 20 * Self.piece)
        let accounts = self.accounts(2, budget)
        #expect(accounts[0].add(8 * Self.piece))
        #expect(!accounts[0].add(8 * Self.piece))
        #expect(budget.drawnBytes == 17 * Self.piece)
        accounts[0].remove(16 * Self.piece)
        #expect(budget.drawnBytes == 2 * Self.piece)
    }

    @Test func `What was kept in any case is granted as soon as there is room`() {
        let budget = ByteBudget(bytesMax: 20 * Self.piece)
        let accounts = self.accounts(2, budget)
        accounts[1].add(12 * Self.piece)
        #expect(!accounts[0].add(5 * Self.piece))
        #expect(accounts[0].excessBytes == 4 * Self.piece)
        accounts[1].remove(12 * Self.piece)
        #expect(accounts[0].hasRoom(for: Self.piece))
        #expect(accounts[0].excessBytes == 0)
        #expect(budget.drawnBytes == 7 * Self.piece)
    }

    @Test(arguments: 0..<50)
    func `The budget is what the accounts have drawn, whatever they do`(_ seed: Int) {
        var random = SeededGenerator(seed)
        let budget = ByteBudget(bytesMax: .random(in: 0...(4 << 20), using: &random))
        let accounts = self.accounts(5, budget)
        for _ in 0..<2_000 {
            guard let account = accounts.randomElement(using: &random) else { return }
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                account.add(.random(in: 0...100_000, using: &random))
            case 1:
                let count = Int.random(in: 0...300_000, using: &random)
                if account.hasRoom(for: count) { #expect(account.add(count)) }
            default:
                account.remove(.random(in: 0...account.usedBytes, using: &random))
            }
            let used = accounts.reduce(0) { $0 + max($1.usedBytes, Self.piece) }
            #expect(budget.drawnBytes >= used)
            #expect(budget.drawnBytes <= used + accounts.count * 5 * Self.piece)
        }
        for account in accounts {
            account.remove(account.usedBytes)
            account.close()
        }
        #expect(budget.drawnBytes == 0)
    }

    @Test func `A connection that is idle keeps the storage of no large header list`() throws {
        let peer = try RawPeer(.server(HTTP2ServerConfiguration()) { stream, _ in Recorder(stream) })
        defer { peer.close() }
        peer.greet()
        let large = (":path", "/" + String(repeating: "x", count: 10_000))
        let fields = RawPeer.requestFields.filter { $0.0 != ":path" } + [large]
        peer.send(.headers(1, fields, end: true))
        #expect(peer.connection.streams.count == 1)
        #expect(peer.connection.headerBlock.list.isEmpty)
        #expect(peer.connection.headerBlock.list.bytes.capacity == 0)
    }
}
