import BrasaApp
import Foundation
import Testing

@Suite("Values of users")
struct NumberContentTests {
    @Test(
        "A number holds what it was made of",
        arguments: [
            (NSNumber(value: true), .boolean(true)), (NSNumber(value: 1), .integer(1)),
            (NSNumber(value: UInt64(Int64.max)), .integer(.max)),
            (NSNumber(value: UInt64(Int64.max) + 1), .unsigned(1 << 63)), (NSNumber(value: Float(0.5)), .double(0.5)),
            (NSDecimalNumber(string: "0.30000000000000004"), .double(0.1 + 0.2)),
        ] as [(NSNumber, NumberContent)]
    )
    func numbers(_ number: NSNumber, _ content: NumberContent) {
        #expect(NumberContent(number) == content)
    }

    @Test("An optional holds what the innermost does")
    func optionals() {
        let deep: Int?? = .some(.some(1))
        let empty: Int?? = .some(.none)
        #expect(deep.held as? Int == 1)
        #expect(empty.isNil && Int?.none.isNil && !deep.isNil)
    }
}
