import Testing

@testable import BrasaHTTP2

/// The budget of all connections, as those of several addresses draw from it.
@Suite struct AddressBudgetTests {
    private static let piece = 1 << 10

    /// Of addresses with so many connections each, which take what they can get in turns: what each address has.
    private func drawn(_ connections: [Int], from whole: ByteBudget) -> [Int] {
        let budgets = connections.map { _ in ByteBudget(ofAddressIn: whole) }
        var held = connections.map { Array(repeating: 0, count: $0) }
        var isDrawn = true
        while isDrawn {
            isDrawn = false
            for address in budgets.indices {
                for connection in held[address].indices
                where budgets[address].draw(Self.piece, holding: held[address][connection]) {
                    held[address][connection] += Self.piece
                    isDrawn = true
                }
            }
        }
        for (budget, held) in zip(budgets, held) { #expect(budget.drawnBytes == held.reduce(0, +)) }
        #expect(whole.drawnBytes == budgets.reduce(0) { $0 + $1.drawnBytes })
        return budgets.map(\.drawnBytes)
    }

    @Test(arguments: [
        ([1], [500]), ([2], [666]), ([3], [750]), ([1_000], [750]), ([1, 1], [333, 333]), ([1, 1_000], [50, 850]),
    ])
    func `However many connections an address has, it leaves a quarter to the others`(
        _ connections: [Int],
        _ perMille: [Int]
    ) {
        let whole = ByteBudget(bytesMax: 64 << 20)
        let drawn = self.drawn(connections, from: whole).map {
            Int((Double($0) / Double(whole.bytesMax) * 1_000).rounded())
        }
        if connections.count == 1 || connections == [1, 1] {
            for (drawn, expected) in zip(drawn, perMille) { #expect(abs(drawn - expected) <= 2) }
        } else {
            // Who comes with one connection has as much as is left, whatever the crowd does.
            #expect(drawn[1] <= 750 && drawn[0] >= 1_000 - drawn[1] - drawn[0] - 2)
        }
    }

    @Test func `What is given back can be drawn again, and what is refused was not drawn`() {
        let whole = ByteBudget(bytesMax: 100)
        let (one, other) = (ByteBudget(ofAddressIn: whole), ByteBudget(ofAddressIn: whole))
        #expect(one.draw(40, holding: 0) && one.draw(30, holding: 0) && !one.draw(10, holding: 0))
        #expect(one.drawnBytes == 70 && whole.drawnBytes == 70)
        #expect(other.draw(15, holding: 0) && !other.draw(10, holding: 15))
        one.giveBack(70)
        #expect(one.drawnBytes == 0 && whole.drawnBytes == 15)
        #expect(one.draw(40, holding: 0))
        one.drawAnyway(45)
        #expect(whole.drawnBytes == 100 && one.isScarce && other.isScarce && whole.isScarce)
    }

    @Test func `Places for streams are of all addresses`() {
        let whole = ByteBudget(bytesMax: 100)
        let (one, other) = (ByteBudget(ofAddressIn: whole), ByteBudget(ofAddressIn: whole))
        #expect(one.drawSpareStreams(ByteBudget.spareStreamsMax) && !other.drawSpareStreams(1))
        one.giveBackSpareStreams(1)
        #expect(other.drawSpareStreams(1))
    }
}
