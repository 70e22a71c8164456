/// Why a token names nobody. For the log, which a caller does not read; says nothing of what the token holds.
package enum TokenRefusal: String, Error, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    case notBearer = "the authorization is no bearer token"
    case tooLong = "the token is too long"
    case malformed = "the token is no JSON Web Token"
    case duplicateMember = "the token names a member twice"
    case unsupportedAlgorithm = "the token is signed neither by RS256 nor by ES256"
    case unsupportedExtension = "the token asks for an extension"
    case wrongType = "the token is of a type that is no token of access or identity"
    case wrongAlgorithm = "the token names another algorithm than its key is for"
    case unknownIssuer = "the token's issuer is not one of those configured"
    case unknownKey = "the token's key is not known"
    case disabledKey = "the token's key is disabled"
    case wrongSubject = "the token's subject is not its issuer"
    case wrongSignature = "the token's signature is wrong"
    case wrongAudience = "the token is for somebody else"
    case missingClaim = "the token lacks a claim, or has it as another type"
    case expired = "the token has expired"
    case notYetValid = "the token is from the future"
    case tooLongLived = "the token is good for too long"
    case keysUnavailable = "the issuer's keys could not be fetched"

    package var description: String { self.rawValue }
}
