"""Words that tell what a number is, beyond the cues of the detectors themselves."""

from __future__ import annotations

OTHER = dict.fromkeys(
    (
        "order orders tracking ticket tickets reference ref case sku invoice confirmation account accounts booking "
        "reservation policies member membership build version serial id ids imei isbn bsn vin item part claim flight "
        "code pin expiry expires cvv cvc zip postcode transaction receipt batch product model license licence "
        "passport npi employee case shift badge passcode voucher coupon serial meter policy vehicle plate ein score matrix counts count price amount balance total bestellung bestellnummer commande "
        "pedido auftrag"
    ).split(),
    "other",
)
OWNERS = frozenset(
    (
        "my your his her our their the a an this that best new old good other same right correct which what another "
        "is or and on at s whats what's mine home work office daytime direct"
    ).split()
)
