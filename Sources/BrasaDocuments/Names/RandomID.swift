/// The ids that are given to documents whose writer names none: 20 letters and digits, each of 62 with the same probability,
/// which is 119 bits.
package enum RandomID {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    private static let length = 20

    package static func make(using generator: inout some RandomNumberGenerator) -> UTF8Text {
        UTF8Text(
            validated: (0..<self.length).map { _ in
                self.alphabet[Int.random(in: 0..<self.alphabet.count, using: &generator)]
            }
        )
    }
}
